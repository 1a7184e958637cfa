"""Marks and lists in texts of every kind: nothing else changes, and they can be taken out again."""

from pathlib import Path
from typing import get_args

import pytest
from hypothesis import given, strategies as st
from makers import VALID

from agent.citing.supported import cited_everywhere
from rarr.records.citations import CitationStyle, Cited
from rarr.tools.text.blocks_and_sentences import blocks

TEXTS = sorted(
    path for path in (Path(__file__).parents[3] / "examples/texts").iterdir() if path.suffix != ".json"
)
STYLES = get_args(CitationStyle)
CODE = "Run this.\n\n```python\nprint('It opened in 1937.')\n```\n\nIt opened in 1937.\n"


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
@pytest.mark.parametrize("style", STYLES)
def test_every_example_text_comes_back(path: Path, style: CitationStyle) -> None:
    text = path.read_bytes().decode()
    cited = cited_everywhere(text, style=style)
    assert cited.citations
    assert cited.text != text
    assert cited.without_citations().encode() == path.read_bytes()


@given(st.text(VALID | st.sampled_from("\r\n|`[]()*.# 1aA"), min_size=1))
def test_any_text_comes_back(text: str) -> None:
    assert cited_everywhere(text).without_citations() == text


@pytest.mark.parametrize("path", TEXTS, ids=lambda path: path.name)
def test_blocks_stay_what_they_are(path: Path) -> None:
    text = path.read_bytes().decode()
    cited = cited_everywhere(text)
    body = cited.text[: cited.list_start]
    assert [block.kind for block in blocks(body)] == [block.kind for block in blocks(text)]
    unchanged = [text[b.start : b.end] for b in blocks(text) if b.kind in ("code", "heading")]
    assert unchanged == [body[b.start : b.end] for b in blocks(body) if b.kind in ("code", "heading")]


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
        ("It is red.[^1]\n\n[^1]: See a.md", "It is red.[^1][2]\n\n[^1]: See a.md"),
        (CODE, CODE.replace("this.", "this.[1]").replace("1937.\n", "1937.[2]\n")),
    ],
)  # fmt: skip
def test_mark_stands_behind_the_sentence(text: str, body: str) -> None:
    cited = cited_everywhere(text)
    assert cited.text[: cited.list_start] == body


@pytest.mark.parametrize(
    ("style", "listed"),
    [
        ("numbered", "It is red.[1]\n\nSources:\n\n- [1] source-1.md\n"),
        ("footnotes", "It is red.[^1]\n\n[^1]: source-1.md\n"),
    ],
)
def test_list_has_the_style(style: CitationStyle, listed: str) -> None:
    assert cited_everywhere("It is red.", style=style).text == listed


def test_list_has_the_line_ends_of_the_text() -> None:
    assert cited_everywhere("It is red.\r\n").text.endswith("\r\n\r\nSources:\r\n\r\n- [1] source-1.md\r\n")


def test_list_stands_behind_code_that_the_text_leaves_open() -> None:
    cited = cited_everywhere("It is red.\n\n```\nprint(1)\n")
    assert [block.kind for block in blocks(cited.text)] == ["prose", "code", "prose", "prose"]


def test_changed_record_is_refused() -> None:
    cited = cited_everywhere("It is red.")
    with pytest.raises(ValueError, match="not the original"):
        Cited.model_validate(cited.model_dump() | {"original": "It is blue."})
    assert Cited.model_validate_json(cited.model_dump_json()) == cited
