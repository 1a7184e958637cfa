"""Tables of a text: each cell is checked with its headers, and edited with every other byte as it was."""

from pathlib import Path

import pytest

from rarr import Reviser, Settings

DOCUMENT = """# Perrin pumps

The Perrin P2 moves 40 litres of water a minute. It weighs 7.5 kilograms. It costs 189 euros.

The Perrin P4 moves 95 litres of water a minute. It weighs 12 kilograms. It costs 329 euros.

The Perrin works were founded by Ilse Brandauer in 1954.
"""
TEXT = """# Perrin pumps

| Model     | Weight |  Price |
|:----------|-------:|-------:|
| Perrin P2 | 7.5 kg | 198 euros|
|Perrin P4| **12 kg** |  329 euros |

|  Fact | |
|--|--|
| Founder | Ilse Brandmeyer \t|
"""


@pytest.fixture(scope="module")
def reviser(tmp_path_factory: pytest.TempPathFactory) -> Reviser:
    folder: Path = tmp_path_factory.mktemp("pumps")
    (folder / "pumps.md").write_text(DOCUMENT)
    return Reviser(Settings(corpus=folder / "pumps.md", home=folder, trace=False))


ROWS = """# Perrin pumps

| Model | Price | Weight |
|---|---|---|
| Perrin P2 | 189 euros | 7.5 kg |
| Perrin P4 | 329 euros | 12 kg |
"""


@pytest.mark.slow
def test_a_wrong_cell_is_corrected_by_its_row_and_the_rest_stays_as_it_is(tmp_path: Path) -> None:
    (tmp_path / "pumps.md").write_text(ROWS)
    with Reviser(Settings(corpus=tmp_path / "pumps.md", home=tmp_path, trace=False)) as made:
        revision = made.revise(TEXT)
    assert revision.text == TEXT.replace("198", "189")
    assert revision.revert(*(edit.id for edit in revision.edits)) == TEXT
    statuses = [(sentence.text, sentence.status) for sentence in revision.report.sentences]
    assert statuses == [
        ("7.5 kg", "supported"),
        ("189 euros", "supported"),
        ("**12 kg**", "supported"),
        ("329 euros", "supported"),
        ("Ilse Brandmeyer", "unconfirmed"),
    ]
    for sentence in revision.report.sentences:
        assert revision.text[sentence.start : sentence.end] == sentence.text


@pytest.mark.parametrize(
    ("old", "new"), [("329 euros", "189 euros"), ("**12 kg**", "7.5 kg"), ("7.5 kg", "12 kg")]
)
def test_a_value_of_another_row_confirms_nothing(reviser: Reviser, old: str, new: str) -> None:
    text = TEXT.replace("198", "189").replace(old, new)
    revision = reviser.revise(text)
    [index] = [n for n, cell in enumerate(TEXT.replace("198", "189").split("|")) if cell.strip() == old]
    now = revision.text.split("|")[index].strip()
    at = len("|".join(revision.text.split("|")[:index])) + 1
    [status] = [
        sentence.status for sentence in revision.report.sentences if at <= sentence.start < at + len(now) + 2
    ]
    assert (now, status) != (new, "supported")
    assert now in (old.strip("*"), new)


def test_a_table_that_cannot_be_read_is_told_and_stays(reviser: Reviser) -> None:
    text = TEXT + "\n> | Model | Price |\n> |---|---|\n> | Perrin P4 | 392 euros |\n"
    revision = reviser.revise(text)
    assert revision.text.endswith("| Perrin P4 | 392 euros |\n")
    [notice] = [warning for warning in revision.warnings if warning.code == "table_not_checked"]
    assert notice.message.startswith("1 table not checked: ")
    assert "table_not_checked" not in [warning.code for warning in reviser.revise(TEXT).warnings]
