"""What tools returned, as sources."""

import json
from typing import Any

import pytest
from langchain_core.documents import Document
from langchain_core.messages import AIMessage, HumanMessage, ToolMessage

from rarr.integrations.langchain.messages import tool_sources

PAGE = {"url": "https://example.org/dam", "title": "Dam", "content": "It is 221 m high.", "score": 0.9}
DOCUMENT = Document("It is 221 m high.", metadata={"source": "dam.txt"})


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
        (json.dumps([{**PAGE, "snippet": ""}]), [PAGE]),
        ("[]", []),
        (json.dumps({"query": "dam", "results": []}), []),
        ("", []),
        ([{"type": "image", "url": "https://example.org/dam.png"}], []),
    ],
)
def test_texts_and_search_results_are_sources(content: Any, expected: list[Any]) -> None:
    assert sources(content) == expected


@pytest.mark.parametrize(
    "content",
    [
        {"height": 221},
        [PAGE, 3],
        [{**PAGE, "height": 221}],
        [{**PAGE, "content": "", "raw_content": "It is 221 m high."}],
        [{"content": "It is 221 m high."}],
        {"results": 3},
    ],
)
def test_other_json_stays_a_text_so_that_nothing_is_left_out(content: Any) -> None:
    assert sources(json.dumps(content)) == [named(json.dumps(content))]


def test_deep_json_stays_a_text() -> None:
    deep = "[" * 100_000
    assert sources(deep) == [named(deep)]


@pytest.mark.parametrize(
    "artifact", [DOCUMENT, [DOCUMENT], (DOCUMENT,), {"documents": [DOCUMENT], "query": "dam"}]
)
def test_documents_of_an_artifact_come_before_the_rest_of_the_text(artifact: Any) -> None:
    assert sources("Found:\nIt is 221 m high.\nIt is old.", artifact=artifact)[0] == DOCUMENT
    [_, rest] = sources("Found:\nIt is 221 m high.\nIt is old.", artifact=artifact)
    assert rest["text"].split() == ["Found:", "It", "is", "old."]


def test_text_of_the_documents_is_no_second_source() -> None:
    other = Document("It is old.")
    content = "It is 221 m high.\n\nIt is old."
    assert sources(content, artifact=[DOCUMENT, other, Document(" ")]) == [DOCUMENT, other]


def test_failed_tool_is_no_source() -> None:
    assert sources("It is 221 m high.", status="error") == []


def test_only_results_since_the_last_question_count() -> None:
    old, new = (ToolMessage(text, tool_call_id="1") for text in ("old", "new"))
    messages = [HumanMessage("?"), old, AIMessage("A."), HumanMessage("?"), new, AIMessage("B.")]
    assert tool_sources(messages) == [{"text": "new", "title": ""}]
    assert tool_sources([new]) == [{"text": "new", "title": ""}]
