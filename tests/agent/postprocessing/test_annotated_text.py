"""Marks about doubts in texts of every kind: nothing else changes, and they can be taken out again."""

from collections.abc import Mapping
from pathlib import Path

import pytest
from hypothesis import given, strategies as st
from makers import VALID

from rarr.agent import postprocess
from rarr.agent.postprocess import Annotated, annotated
from rarr.records import Sentence, Status
from rarr.tools.text.blocks_and_sentences import Span, blocks, protected, sentences, table_cells
from rarr.tools.text.markdown_tables import Cell

TEXTS = sorted(
    path for path in (Path(__file__).parents[3] / "examples/texts").iterdir() if path.suffix != ".json"
)


def marked(text: str, status: Status = "unconfirmed") -> Annotated:
    """Marks every sentence of the text."""
    spans = sentences(text)
    return annotated(
        text,
        [Sentence(text=span.of(text), start=span.start, end=span.end, status=status) for span in spans],
    )


def without(text: Annotated) -> str:
    pieces, position = [], 0
    for start, end in sorted({(mark.start, mark.end) for mark in text.marks}):
        pieces.append(text.text[position:start])
        position = end
    return "".join([*pieces, text.text[position:]])


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_every_example_text_comes_back(path: Path) -> None:
    text = path.read_bytes().decode()
    assert marked(text).marks
    assert without(marked(text)) == text


@given(st.text(VALID | st.sampled_from("\r\n|`[]()*.# 1aA-"), min_size=1))
def test_any_text_comes_back(text: str) -> None:
    assert without(marked(text)) == text


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_code_tables_headings_and_links_stay_byte_identical(path: Path) -> None:
    text = path.read_bytes().decode()
    result = marked(text).text
    for kind in ("code", "table", "heading"):
        before = [text[b.start : b.end].rstrip() for b in blocks(text) if b.kind == kind]
        assert [result[b.start : b.end].rstrip() for b in blocks(result) if b.kind == kind] == before
    links = [span.of(text) for span in protected(text, 0, len(text))]
    assert [link for link in links if link not in result] == []


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It opened in 1937. It is red.", "It opened in 1937.[not confirmed] It is red.[not confirmed]"),
        ("It opened in 1937", "It opened in 1937 [not confirmed]"),
        ("It is red, see [a](https://x.org).", "It is red, see [a](https://x.org).[not confirmed]"),
        ("It is `red.`", "It is `red.` [not confirmed]"),
        ("- It is red.\r\n- It is long.", "- It is red.[not confirmed]\r\n- It is long.[not confirmed]"),
        (
            "| a | b |\n|---|---|\n| c | red |\n| d | 12 |\n\nEnd",
            "| a | b |\n|---|---|\n| c | red |\n| d | 12 |\n\n[not confirmed: c: b is red; d: b is 12]\n\n"
            "End [not confirmed]",
        ),
        (
            "| a | b |\r\n|---|---|\r\n| c | red |",
            "| a | b |\r\n|---|---|\r\n| c | red |\r\n\r\n[not confirmed: c: b is red]",
        ),
        (
            "| a | b |\n|---|---|\n| c | red |\n# End\n",
            "| a | b |\n|---|---|\n| c | red |\n\n[not confirmed: c: b is red]\n\n# End\n",
        ),
    ],
)
def test_marks_stand_where_a_reader_expects_them(text: str, expected: str) -> None:
    assert marked(text).text == expected


def test_contradicted_sentences_have_a_mark_of_their_own() -> None:
    assert marked("It is red.", "contradicted").text == "It is red.[contradicted]"


def test_places_of_the_original_move_behind_the_marks() -> None:
    result = marked("It is red. It is long.")
    assert result.text[slice(*result.moved(11, 22))] == "It is long."
    assert result.text[slice(*result.moved(0, 22))] == "It is red.[not confirmed] It is long."


def test_tables_are_parsed_once_for_all_doubtful_cells(monkeypatch: pytest.MonkeyPatch) -> None:
    parsed: list[str] = []

    def counted(text: str) -> Mapping[Span, Cell]:
        parsed.append(text)
        return table_cells(text)

    monkeypatch.setattr(postprocess, "table_cells", counted)
    rows = "".join(f"| Dam {number} | {number} m |\n" for number in range(20))
    text = f"| name | height |\n|---|---|\n{rows}"
    assert len(marked(text).marks) == 20
    assert parsed == [text]
