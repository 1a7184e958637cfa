"""A long text is divided into blocks, whole and in order."""

import pytest
from hypothesis import given, settings, strategies as st

from rarr.tools.text.blocks_and_sentences import split_sentences
from rarr.tools.text.long_text_blocks import TextBlock, text_blocks

SIZE = 500
SENTENCE = "Aldmoor Mill was built in 1801 by the river Ashe. "
PARAGRAPH = SENTENCE * 4
FENCE = "```\n" + "Merrow Tower. It has 50 floors.\n\n" * 10 + "```\n"
TABLE = "| Tower | floors |\n|---|---|\n" + "| Merrow Tower | 50 |\n" * 20
LIST = "".join(f"- {SENTENCE}\n" for _ in range(8))
QUOTE = "".join(f"> {SENTENCE}\n" for _ in range(8))
LAYOUTS = {
    "paragraphs": [PARAGRAPH] * 12,
    "headings": ["# Mills", PARAGRAPH, "## Old", PARAGRAPH, "## New", PARAGRAPH] * 3,
    "fences": [PARAGRAPH, FENCE] * 4,
    "tables": [PARAGRAPH, TABLE] * 4,
    "lists": [PARAGRAPH, LIST, "1. One is it.\n2. Two is it.", QUOTE] * 3,
    "emoji": ["Ça va 👩‍👩‍👧 bien, é\u0301t 1987. ☃ It was here. " * 6] * 6,
    "indented": ["    Merrow Tower has 51 floors.", PARAGRAPH, "<div>\nIt is 3 m.\n</div>"] * 5,
}
PARTS = st.sampled_from([PARAGRAPH, FENCE, TABLE, LIST, "# A\n", "", "---", "    code\n", "```\n", "<!-- x"])
ANY = st.text(st.characters(exclude_categories=["Cs"]), max_size=80)


def checked_blocks(text: str) -> list[TextBlock]:
    blocks = list(text_blocks(text, SIZE))
    assert [block.number for block in blocks] == [*range(1, len(blocks) + 1)]
    assert "".join(block.span.of(text) for block in blocks) == text
    return blocks


@pytest.mark.parametrize("end", ["\n", "\r\n"], ids=["LF", "CRLF"])
@pytest.mark.parametrize("name", LAYOUTS)
def test_blocks_have_the_sentences_of_the_text(name: str, end: str) -> None:
    text = "\n\n".join(LAYOUTS[name]).replace("\n", end)
    blocks = checked_blocks(text)
    assert len(blocks) > 2
    assert [span for block in blocks for span in block.sentences] == split_sentences(text, revised=True)


def test_block_includes_its_headings_and_the_text_before_it() -> None:
    parts = ["# Mills", "## Old", PARAGRAPH * 2, "### Deep", PARAGRAPH * 2, "## New", PARAGRAPH * 2]
    text = "\n\n".join(parts)
    old, deep, new = checked_blocks(text)
    assert old.lead == ""
    assert deep.lead.startswith("# Mills\n\n## Old\n\nAldmoor Mill was built")
    assert new.lead.startswith("# Mills\n\nAldmoor Mill was built")


@pytest.mark.parametrize("end", ["```\n\n" + PARAGRAPH, ""], ids=["closed", "never closed"])
def test_code_longer_than_a_block_stays_code(end: str) -> None:
    code = "```\n" + "Merrow Tower has 50 floors.\n\n" * 2000
    blocks = checked_blocks(f"{PARAGRAPH}\n\n{code}{end}")
    assert [bool(block.sentences) for block in blocks] == [True, False, True][: 3 if end else 2]
    assert blocks[1].too_long


@pytest.mark.slow
@settings(max_examples=60)
@given(st.lists(PARTS | ANY, min_size=1, max_size=12), st.sampled_from(["\n\n", "\n", "\r\n", " "]))
def test_blocks_of_any_text_join_to_the_text(parts: list[str], separator: str) -> None:
    text, end = separator.join(parts), 0
    for block in checked_blocks(text) if text else []:
        for span in block.sentences:
            assert block.span.start <= span.start < span.end <= block.span.end
            assert end <= span.start
            end = span.end
