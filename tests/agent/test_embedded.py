"""Runs with the embedded reader: any text, tables cell by cell, and what passages only nearly say."""

from pathlib import Path

import pytest
from hypothesis import example, given, settings, strategies as st
from makers import VALID

from agent.mills import assert_sound
from rarr import Reviser, Revision, Settings, revise
from rarr.tools.text.blocks_and_sentences import blocks, sentences

DOCUMENTS = {
    "library.md": "# Kestrel Library\n\nKestrel Library opened on 4 May 1976. It holds 120,000 books. The"
    " architect was Ada Brandt. Every year, 45 percent of its visitors come from Port Halden.\n",
    "tower.md": "# Merrow Tower\n\nMerrow Tower is 212 metres tall. It was built from 1931 to 1936 by Otto"
    " Lindqvist. The tower has 48 floors and cost $7.5 million.\n",
    "river.txt": "The River Ashe is 340 km long. It rises in the Brandt Hills and reaches the sea at Port"
    " Halden. The river froze in 1963.\n",
}


@pytest.fixture(scope="module")
def reviser(tmp_path_factory: pytest.TempPathFactory) -> Reviser:
    folder = tmp_path_factory.mktemp("whole")
    (folder / "corpus").mkdir()
    for name, text in DOCUMENTS.items():
        (folder / "corpus" / name).write_text(text, encoding="utf-8")
    return Reviser(Settings(corpus=folder / "corpus", home=folder / "home"))


years = st.integers(1925, 1985)
claims = st.one_of(
    st.builds("Kestrel Library opened on {} May {}.".format, st.integers(1, 31), years),
    st.builds("Kestrel Library holds {:,} books.".format, st.integers(1000, 200_000)),
    st.builds("The architect of Kestrel Library was {} Brandt.".format, st.sampled_from(["Ada", "Eva"])),
    st.builds("Merrow Tower is {} metres tall and has {} floors.".format, *[st.integers(1, 400)] * 2),
    st.builds("Merrow Tower was built from {} to {} by Otto.".format, years, years),
    st.builds("It cost ${} million.".format, st.sampled_from(["7.5", "8", "12.25"])),
    st.builds("The River Ashe froze in {} [1], see `ashe({})`.".format, years, years),
    st.builds("The [River Ashe](https://a.example/{}) is {} km long.".format, years, st.integers(1, 999)),
)
layout = st.sampled_from(
    [
        "```\nMerrow Tower has 50 floors.\n```",
        "# Kestrel Library, 1975",
        "| Tower | floors |\n|---|---|\n| Merrow Tower | 50 |",
        "> Merrow Tower has 50 floors.",
        "- The River Ashe froze in 1964.\n- It is 341 km long.",
        "    Merrow Tower has 51 floors.",
        "<div>The River Ashe froze in 1964.</div>",
        "---",
        "Ça – «va»? ☃ 👩‍👩‍👧 e\u0301\u200b",
    ]
)
separators = st.sampled_from([" ", "\n", "\r\n", "\n\n", "\r\n\r\n", "\t", "  \n", "\u2028", "\x0b"])
pieces = st.tuples(st.one_of(claims, claims, layout, st.text(VALID, max_size=40)), separators)
texts = st.lists(pieces.map("".join), min_size=1, max_size=6).map("".join).filter(str.strip)
OF_THE_TEXT = {"nothing_to_check", "html_not_checked", "table_not_checked", "character_replaced"}
"""Notices about the text alone, and not about a failure: any text may bring them."""


def untouchable(text: str) -> list[tuple[str, str]]:
    return [(block.kind, text[block.start : block.end]) for block in blocks(text) if block.kind != "prose"]


@pytest.mark.slow
@settings(max_examples=8)
@given(text=texts)
@example(text="| Tower | floors |\n|---|---|\n| Merrow Tower | 50 | Kestrel Library holds 1,000 books. ")
@example(text="Kestrel Library opened on 5 May 1977. Merrow Tower is 300 metres tall and has 50 floors.\r\n")
def test_any_text(reviser: Reviser, text: str) -> None:
    revision = reviser.revise(text)
    assert revision.original == text
    assert_sound(revision)
    places = [(it.start, it.end) for it in revision.report.sentences]
    assert places == list(sentences(revision.text))
    assert untouchable(revision.text) == untouchable(text)
    assert {warning.code for warning in revision.warnings} <= OF_THE_TEXT


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
    assert_sound(revision := revised(tmp_path, TEXT, ROWS))
    assert revision.text == TEXT.replace("198", "189")
    *supported, last = [(sentence.text, sentence.status) for sentence in revision.report.sentences]
    assert supported == [(it, "supported") for it in ("7.5 kg", "189 euros", "**12 kg**", "329 euros")]
    assert last == ("Ilse Brandmeyer", "unconfirmed")


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


@pytest.mark.parametrize("cell", ["(189 euros)", "189* euros", "189 euros (est.)", "189 euros†"])
def test_cell_with_a_mark_confirms_none_without_it(tmp_path: Path, cell: str) -> None:
    revision = revised(tmp_path, TEXT.replace("198", "189"), ROWS.replace("189 euros", cell))
    statuses = {sentence.text: sentence.status for sentence in revision.report.sentences}
    assert (statuses["189 euros"], statuses["7.5 kg"]) == ("unconfirmed", "supported")


BAND = ("Northlight (band)", "Northlight is a band of 5 people. Northlight was founded in 1994.")
TOWN = ("Northlight (town)", "Northlight is a harbour town. Northlight was founded in 1850.")


def test_both_namesakes_are_quoted_where_nothing_tells_them_apart() -> None:
    sources = [{"title": title, "text": page} for title, page in (BAND, TOWN)]
    revision = revise("Northlight was founded in 1994.", sources=sources, trace=False)
    titles = {evidence.id: evidence.title for evidence in revision.evidence}
    (sentence,) = revision.report.sentences
    assert (revision.changed, sentence.status) == (False, "contradicted")
    assert {titles[name] for name in sentence.evidence_ids} == {BAND[0], TOWN[0]}
