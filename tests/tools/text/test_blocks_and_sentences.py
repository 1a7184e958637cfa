from collections.abc import Sequence
from itertools import pairwise

import pytest
from hypothesis import given, strategies as st

from rarr.tools.text.blocks_and_sentences import Span, blocks, protected, sentences, split_sentences


def document_sentences(text: str, *, tables: bool = False) -> list[str]:
    return [span.of(text) for span in split_sentences(text, tables="rows" if tables else "")]


@pytest.mark.parametrize(
    ("text", "kinds"),
    [
        ("One.\n\nTwo.", ["prose", "prose"]),
        ("# Title\n\nText.", ["heading", "prose"]),
        ("| a | b |\n|---|---|\n| c | d |\n", ["table"]),
        ("```\ncode\n```\n", ["code"]),
        ("    code = 1\n", ["code"]),
        ("    The dam is high. It is old.\n", ["prose"]),
        ("\n    The dam is high.\n\n\tIt is old.\n    It stands.\n", ["prose"]),
        ("Text.\n\n    The dam is high. It is old.\n", ["prose", "code"]),
        ("    The dam is high. It is old.\n\nText.", ["code", "prose"]),
        ("Text.\n\n\tThe dam is high.\n\n    It is old.\n", ["prose", "code"]),
        ("> Text.\n>\n>     The dam is high.\n", ["prose", "code"]),
        ("- Text.\n\n      The dam is high.\n", ["prose", "code"]),
        ("- Text.\n\n    The dam is high.\n", ["prose", "prose"]),
        ("1. Text.\n\n    The dam is high.\n", ["prose", "prose"]),
        ("Text.\n    The dam is high.\n", ["prose"]),
        ("<div>\nhtml\n</div>\n", ["code"]),
        ("- one\n- two\n", ["prose", "prose"]),
        ("---\n", []),
        ("", []),
    ],
)
def test_kinds_of_blocks(text: str, kinds: list[str]) -> None:
    assert [block.kind for block in blocks(text)] == kinds


def test_indented_code_is_no_sentence_of_a_text_and_one_of_a_document() -> None:
    text = "It stands.\n\n    The dam is 221 metres high.\n\nIt is old."
    assert [span.of(text) for span in sentences(text)] == ["It stands.", "It is old."]
    assert document_sentences(text) == ["It stands.", "The dam is 221 metres high.", "It is old."]


def test_a_heading_has_a_level() -> None:
    assert blocks("### Title\n")[0].level == 3


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("It is high. It is old.", ["It is high.", "It is old."]),
        ("It is high.\r\nIt is old.\r\n\r\nIt stands.", ["It is high.", "It is old.", "It stands."]),
        ("It is so\nhigh that it is seen.", ["It is so\nhigh that it is seen."]),
        ("- It is high.\n- It is old.\n", ["It is high.", "It is old."]),
        ("1. It is high.\n2. It is old.\n", ["It is high.", "It is old."]),
        ("- [x] It is high.\n", ["It is high."]),
        ("> It is high.\n", ["It is high."]),
        ("# Title\n\nIt is high.", ["It is high."]),
        ("Dr. Lee left at 3.5 km. She ran.", ["Dr. Lee left at 3.5 km.", "She ran."]),
        ("It is high 🎉. It is old 🧱.", ["It is high 🎉.", "It is old 🧱."]),
        ("السد عال. وهو قديم.", ["السد عال.", "وهو قديم."]),
        ("***", []),
    ],
)
def test_sentences(text: str, expected: list[str]) -> None:
    assert document_sentences(text) == expected


def test_sentence_that_begins_within_a_long_line_goes_on_in_the_next() -> None:
    wrapped = (
        "The bridge was opened for all traffic in May 1936. It was drawn by Ida\nLunde, who knew the trade."
    )
    assert [span.of(wrapped) for span in split_sentences(wrapped)] == [wrapped[:50], wrapped[51:]]
    short = "It opened in 1936. Open daily\nIda Lunde"
    assert [span.of(short) for span in split_sentences(short)] == [short[:18], "Open daily", "Ida Lunde"]


@pytest.mark.parametrize(
    "wrapped", ["It was built in\n1974 by the town.", "They sail on the ferry of\nHaskvik."]
)
def test_short_line_that_ends_in_a_small_word_goes_on_in_the_next(wrapped: str) -> None:
    assert [span.of(wrapped) for span in split_sentences(wrapped)] == [wrapped]


def test_sentences_of_a_text_are_cached() -> None:
    text = "It is high. It is old."
    assert sentences(text) is sentences(text)
    assert list(sentences(text)) == split_sentences(text)


def test_rows_of_tables_on_request() -> None:
    text = "| a | b |\n|---|---|\n| c | d |\n"
    assert document_sentences(text) == []
    assert document_sentences(text, tables=True) == ["| a | b |", "| c | d |"]


@pytest.mark.parametrize(
    "part",
    [
        "`code`", "[label](https://a.example)", "![image](a.png)", "[label][ref]", "[3]", "[3, 4–6]",
        "[^note]", "<https://a.example>", "<b>", "</b>", "<!-- b -->", "https://a.example/b?c=1",
        "www.a.example", "me@a.example", "$$x^2$$", r"\(x^2\)", "(Lee, 2019)",
        "(see Lee and Smith, 2019a)", "(Lee et al., 2019)",
    ],
)  # fmt: skip
def test_protected_parts_are_found(part: str) -> None:
    text = f"It says {part} here."
    assert part in [span.of(text) for span in protected(text, 0, len(text))]


@pytest.mark.parametrize(
    "text",
    ["It (which is old) stands.", "It costs $5 or $6.", "*It* stands.", "a < b and c > d", "1 <2 and 3> 2"],
)
def test_prose_is_not_protected(text: str) -> None:
    assert protected(text, 0, len(text)) == []


def test_protected_parts_are_cut_to_the_given_range() -> None:
    assert protected("`a` `b`", 3, 7) == [Span(4, 7)]


def test_spans_overlap_where_they_share_a_character() -> None:
    assert Span(0, 2).overlaps(Span(1, 3))
    assert not Span(0, 2).overlaps(Span(2, 3))


def assert_ordered(text: str, spans: Sequence[tuple[int, int]]) -> None:
    assert all(0 <= start < end <= len(text) for start, end in spans)
    assert all(span[1] <= other[0] for span, other in pairwise(spans))


@pytest.mark.parametrize("tables", [False, True])
@given(text=st.text() | st.text(alphabet="aA1 .\n\r>-|`#[]()*_<$\t"))
def test_spans_are_ordered_apart_and_inside(tables: bool, text: str) -> None:
    assert_ordered(text, split_sentences(text, tables="rows" if tables else ""))
    assert_ordered(text, [(block.start, block.end) for block in blocks(text)])
    assert_ordered(text, protected(text, 0, len(text)))


@pytest.mark.parametrize("unit", ["[ ", "`", "> ", "a", "1. "])
def test_a_hostile_text_is_split_quickly(unit: str) -> None:
    text = (unit * 200_000)[:200_000]
    assert_ordered(text, split_sentences(text))
    assert_ordered(text, list(protected(text, 0, len(text))))
