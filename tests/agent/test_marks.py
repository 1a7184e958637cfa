"""Marks and lists of sources in texts of every kind: nothing else changes, and they come out again."""

import itertools
from pathlib import Path
from typing import Any

import pytest
from hypothesis import given, strategies as st
from makers import VALID, evidence, revision

from rarr.agent.marks import cited_text, planned_citations
from rarr.agent.postprocess import annotated_text
from rarr.records import Report, Sentence
from rarr.records.citations import Cited, text_without_marks
from rarr.tools.text.blocks_and_sentences import blocks, protected_spans, sentences
from rarr.tools.text.citation_marks import citation_marks, highest_number

FOLDER = Path(__file__).parents[2] / "examples/texts"
TEXTS = [path.read_bytes().decode() for path in sorted(FOLDER.iterdir()) if path.suffix != ".json"]
CODE = "Run this.\n\n```python\nprint('It opened in 1937.')\n```\n\nIt opened in 1937.\n"


def sentences_of(text: str) -> list[Sentence]:
    """All sentences, supported by the first and the second passage in turn."""
    facts: Any = [span._asdict() | {"text": span.of(text)} for span in sentences(text)]
    ids = itertools.cycle([("q1.1",), ("q2.1",)])
    return [Sentence(**it, status="supported", evidence_ids=next(ids)) for it in facts]


def cited_everywhere(text: str, *, footnotes: bool = False) -> Cited:
    passages = [evidence("One says so.", id=f"q{n}.1", source=f"source-{n}.md") for n in (1, 2)]
    report = Report(sentences=tuple(sentences_of(text)))
    research = revision(text, evidence=tuple(passages), report=report)
    first = highest_number(text, citation_marks(text)) + 1
    planned = planned_citations(research)
    return cited_text(research, planned, footnotes=footnotes, first_number=first)


@pytest.mark.parametrize("text", TEXTS)
def test_every_example_text_comes_back_and_keeps_its_blocks(text: str) -> None:
    cited, noted = cited_everywhere(text), cited_everywhere(text, footnotes=True)
    marked, marks = annotated_text(text, sentences_of(text))
    assert cited.citations and marked != text
    assert cited.without_citations() == noted.without_citations() == text_without_marks(marked, marks) == text
    for result in (cited.text[: cited.list_start], marked):
        assert [block.kind for block in blocks(result)] == [block.kind for block in blocks(text)]
        for kind in ("code", "heading"):
            kept = [text[b.start : b.end] for b in blocks(text) if b.kind == kind]
            assert [result[b.start : b.end] for b in blocks(result) if b.kind == kind] == kept
        assert all(span.of(text) in result for span in protected_spans(text, 0, len(text)))


@given(st.text(VALID | st.sampled_from("\r\n|`[]()*.# 1aA-"), min_size=1))
def test_any_text_comes_back(text: str) -> None:
    marked, marks = annotated_text(text, sentences_of(text))
    assert cited_everywhere(text).without_citations() == text_without_marks(marked, marks) == text


@pytest.mark.parametrize(
    ("text", "body"),
    [
        ("It opened in 1937. It is red.", "It opened in 1937.[1] It is red.[2]"),
        ("It opened in 1937", "It opened in 1937 [1]"),
        ("“It opened in 1937.” It is red!", "“It opened in 1937.”[1] It is red![2]"),
        ("**It opened in 1937.** 🌉 It is red 🌉.", "**It opened in 1937.[1]** 🌉 It is red 🌉.[2]"),
        ("It is red, see https://x.org/a.", "It is red, see https://x.org/a. [1]"),
        ("- It opened in 1937.\r\n- It is red.\r\n", "- It opened in 1937.[1]\r\n- It is red.[2]\r\n"),
        ("| a | b |\n|---|---|\n| c | red |\n", "| a | b |\n|---|---|\n| c | red [1] |\n"),
        ("# It opened in 1937.\n\nIt is red.", "# It opened in 1937.\n\nIt is red.[1]"),
        ("It is `red.` It is [long](https://x.org)", "It is `red.` [1] It is [long](https://x.org) [2]"),
        ("It is red [3]. It is long.[7]", "It is red [3].[8] It is long.[7][9]"),
        (CODE, CODE.replace("this.", "this.[1]").replace("1937.\n", "1937.[2]\n")),
    ],
)  # fmt: skip
def test_mark_stands_behind_the_sentence(text: str, body: str) -> None:
    cited = cited_everywhere(text)
    assert cited.text[: cited.list_start] == body


def test_list_has_the_line_ends_of_the_text() -> None:
    listed = "It is red.[1]\r\n\r\nSources:\r\n\r\n- [1] source-1.md\r\n"
    noted = "It is.[^1]\n\n```\nx\n```\n\n[^1]: source-1.md\n"
    assert cited_everywhere("It is red.\r\n", footnotes=False).text == listed
    assert cited_everywhere("It is.\n\n```\nx\n", footnotes=True).text == noted
