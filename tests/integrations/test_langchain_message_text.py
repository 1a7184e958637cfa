"""The text of a message, and its revision in the blocks of the message."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from langchain_core.messages import AIMessage, HumanMessage, HumanMessageChunk, SystemMessage
from makers import VALID

from rarr import Postprocessed
from rarr.integrations.langchain.messages import answer_text, turn, with_result

IMAGE = {"type": "image", "url": "https://example.org/dam.png"}
THOUGHT = {"type": "reasoning", "reasoning": "It was 212."}


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def replaced(content: Any, revised: str) -> Any:
    """The content with a revision of its text."""
    message = AIMessage(content)
    original = answer_text(message)
    assert original is not None
    result = Postprocessed(
        text=revised,
        original=original,
        changed=revised != original,
        mode="revise",
        outcome="finished",
        notice="",
    )
    return with_result(message, result).content


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("A. B.", "A. B."),
        ([text("A is "), text("12"), text(" m.")], "A is 12 m."),
        (["A is ", text("12")], "A is 12"),
        ([text("A."), IMAGE, text("B.")], "A.\n\nB."),
        ([THOUGHT, text("A.")], "A."),
        ([IMAGE, IMAGE], None),
        ([], None),
        ("  ", None),
    ],
)
def test_text_of_the_blocks_is_one_text(content: Any, expected: str | None) -> None:
    assert answer_text(AIMessage(content)) == expected


@pytest.mark.parametrize(
    ("content", "revised", "expected"),
    [
        ("It is 12 m.", "It is 13 m.", "It is 13 m."),
        ([text("It is 12 m.")], "It is 13 m.", [text("It is 13 m.")]),
        (["It is 12 m."], "It is 13 m.", ["It is 13 m."]),
        ([text("It is "), text("12"), text(" m.")], "It is 13 m.", [text("It is "), text("13"), text(" m.")]),
        (
            [text("It is 12 m."), IMAGE, text("It is red.")],
            "It is 13 m.\n\nIt is blue.",
            [text("It is 13 m."), IMAGE, text("It is blue.")],
        ),
        (
            [THOUGHT, text("It is 12 m. "), text("It is red.")],
            "It is 12 m. It is red.[1]\n\n[1] dam.txt",
            [THOUGHT, text("It is 12 m. "), text("It is red.[1]\n\n[1] dam.txt")],
        ),
        (
            [text("It is 12 m."), text(" It is red.")],
            "It is 12 m.[1] It is red.",
            [text("It is 12 m.[1]"), text(" It is red.")],
        ),
        ([text("It is "), text("12 m.")], "It is 12 m.", [text("It is "), text("12 m.")]),
    ],
)
def test_revision_reaches_the_block_of_its_words(content: Any, revised: str, expected: Any) -> None:
    assert replaced(content, revised) == expected


def test_places_of_annotations_move_with_their_words() -> None:
    note = {"type": "citation", "url": "https://example.org", "start_index": 15, "end_index": 25}
    other = {"type": "file_citation", "file_id": "f1"}
    block = text("It is twelve m. It is red.", annotations=[note, other])
    [made] = replaced([block], "It is 12 m. It is red.")
    assert made["annotations"] == [{**note, "start_index": 11, "end_index": 21}, other]
    assert block["annotations"] == [note, other]


@given(
    st.lists(st.text(VALID | st.sampled_from(" .12ab"), min_size=1), min_size=1), st.text(VALID, min_size=1)
)
def test_no_word_of_a_revision_is_lost(pieces: list[str], revised: str) -> None:
    content = [text(piece) for piece in pieces]
    if "".join(pieces).strip():
        assert "".join(block["text"] for block in replaced(content, revised)) == revised


@pytest.mark.parametrize(
    ("message", "role"),
    [
        (HumanMessage("A."), "user"),
        (HumanMessageChunk(content="A."), "user"),
        (AIMessage("A."), "assistant"),
        (SystemMessage("A."), "system"),
    ],
)
def test_message_becomes_a_turn(message: Any, role: str) -> None:
    assert turn(message) == {"role": role, "content": "A."}
