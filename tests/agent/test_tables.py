"""Tables of a text: each cell is checked with its headers, and edited with every other byte as it was."""

from pathlib import Path

import pytest

from rarr import Revision, revise

PROSE = """# Perrin pumps

The Perrin P2 moves 40 litres of water a minute. It weighs 7.5 kilograms. It costs 189 euros.

The Perrin P4 moves 95 litres of water a minute. It weighs 12 kilograms. It costs 329 euros.

The Perrin works were founded by Ilse Brandauer in 1954.
"""
ROWS = """# Perrin pumps

| Model | Price | Weight |
|---|---|---|
| Perrin P2 | 189 euros | 7.5 kg |
| Perrin P4 | 329 euros | 12 kg |
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


def revised(folder: Path, text: str, document: str = PROSE) -> Revision:
    (folder / "pumps.md").write_text(document)
    return revise(text, corpus=folder / "pumps.md", home=folder, trace=False)


@pytest.mark.slow
def test_a_wrong_cell_is_corrected_by_its_row_and_the_rest_stays_as_it_is(tmp_path: Path) -> None:
    revision = revised(tmp_path, TEXT, ROWS)
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
def test_a_value_of_another_row_confirms_nothing(tmp_path: Path, old: str, new: str) -> None:
    right = TEXT.replace("198", "189")
    revision = revised(tmp_path, right.replace(old, new))
    [index] = [n for n, cell in enumerate(right.split("|")) if cell.strip() == old]
    cells = revision.text.split("|")
    now, at = cells[index].strip(), len("|".join(cells[:index])) + 1
    [status] = [it.status for it in revision.report.sentences if at <= it.start < at + len(now) + 2]
    assert (now, status) != (new, "supported")
    assert now in (old.strip("*"), new)
