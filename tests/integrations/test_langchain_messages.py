"""The text of a message, its revision in the blocks of the message, and what tools returned, as sources."""

import json
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from rarr import Postprocessed
from rarr.integrations.langchain import answer_text, tool_sources, with_result

IMAGE = {"type": "image", "url": "https://example.org/dam.png"}
THOUGHT = {"type": "reasoning", "reasoning": "It was 212."}
PAGE = {"url": "https://example.org/dam", "title": "Dam", "content": "It is 221 m high.", "score": 0.9}
DOCUMENT = Document("It is 221 m high.", metadata={"source": "dam.txt"})


def text(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


def replaced(content: Any, revised: str) -> Any:
    """The content with a revision of its text."""
    message = AIMessage(content)
    original = answer_text(message)
    assert original is not None
    told: Any = {"mode": "revise", "outcome": "finished", "notice": ""}
    result = Postprocessed(text=revised, original=original, changed=revised != original, **told)
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


NOTE = {"type": "citation", "url": "https://example.org", "start_index": 8, "end_index": 10}


@pytest.mark.parametrize(
    ("content", "revised", "expected"),
    [
        ("It is 12 m.", "It is 13 m.", "It is 13 m."),
        (["It is 12 m."], "It is 13 m.", ["It is 13 m."]),
        ([text("It is "), text("12"), text(" m.")], "It is 13 m.", [text("It is 13 m.")]),
        (
            [THOUGHT, text("It is 12 m."), IMAGE, text("It is red.")],
            "It is 13 m.\n\nIt is blue.",
            [THOUGHT, text("It is 13 m.\n\nIt is blue."), IMAGE],
        ),
        ([text("It is 12 m.", annotations=[NOTE])], "It is 13 m.", [text("It is 13 m.")]),
        ([text("It is "), text("12 m.")], "It is 12 m.", [text("It is "), text("12 m.")]),
    ],
)
def test_revision_reaches_the_first_block_of_the_text(content: Any, revised: str, expected: Any) -> None:
    assert replaced(content, revised) == expected


def sources(content: Any, **more: Any) -> list[Any]:
    message = ToolMessage(content, tool_call_id="1", name="search", **more)
    return [*tool_sources([HumanMessage("?"), message])]


def named(text: str) -> dict[str, str]:
    return {"text": text, "title": "search"}


@pytest.mark.parametrize(
    ("content", "expected"),
    [
        ("It is 221 m high.", [named("It is 221 m high.")]),
        ([{"type": "text", "text": "It is 221 m high."}], [named("It is 221 m high.")]),
        (json.dumps([PAGE]), [PAGE]),
        (json.dumps({"query": "dam", "answer": "It is 212 m high.", "results": [PAGE, PAGE]}), [PAGE, PAGE]),
        (json.dumps([PAGE, {**PAGE, "content": ""}, {**PAGE, "content": None}]), [PAGE]),
        ("[]", []),
        ("", []),
        ([{"type": "image", "url": "https://example.org/dam.png"}], []),
    ],
)
def test_texts_and_search_results_are_sources(content: Any, expected: list[Any]) -> None:
    assert sources(content) == expected


@pytest.mark.parametrize("text", ['{"height": 221}', '[{"content": "It is high."}]', "[" * 100_000])
def test_other_json_stays_a_text_so_that_nothing_is_left_out(text: str) -> None:
    assert sources(text) == [named(text)]


@pytest.mark.parametrize(
    "artifact", [DOCUMENT, [DOCUMENT, Document(" ")], {"documents": (DOCUMENT,), "query": "dam"}]
)
def test_documents_of_an_artifact_take_the_place_of_the_text(artifact: Any) -> None:
    assert sources("Found:\nIt is 221 m high.", artifact=artifact) == [DOCUMENT]
