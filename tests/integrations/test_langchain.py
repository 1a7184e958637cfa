"""The steps of chains and the middleware of agents of LangChain: what is revised, and what stays."""

import json
from collections.abc import Sequence
from typing import Any

import pytest
from agent.dams import ANSWER, FINISHED, HEIGHT, RIGHT, UNKNOWN, WRONG, YEAR
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.tools import tool
from pydantic import BaseModel

from rarr import Postprocessed
from rarr.errors import InputError
from rarr.integrations.langchain import RarrMiddleware, RarrRunnable, add_result, answer_text, tool_sources
from rarr.testing import InMemoryRetriever

QUESTION = "How high is the Hoover Dam?"
ASKED: Any = {"messages": [{"role": "user", "content": QUESTION}]}
CALL = AIMessage("", tool_calls=[{"name": "search", "args": {"query": "dam"}, "id": "call-1"}])
IMAGE = {"type": "image", "url": "https://example.org/dam.png"}
THOUGHT = {"type": "reasoning", "reasoning": "It was 212."}
NOTE = {"type": "citation", "url": "https://example.org", "start_index": 8, "end_index": 10}
PAGE = {"url": "https://example.org/dam", "title": "Dam", "content": "It is 221 m high.", "score": 0.9}
BRIEF = {"url": "https://example.org", "description": "It is 221 m high."}
NAMED = {"text": "It is 221 m high.", "title": "search"}
DOCUMENT = Document("It is 221 m high.", metadata={"source": "dam.txt"})
CHAIN = ChatPromptTemplate.from_template("{question}")
KNOWN = InMemoryRetriever([HEIGHT, YEAR])


class CallingModel(GenericFakeChatModel):
    """Gives its messages one after the other; any tools may be bound to it."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> "CallingModel":
        return self


@tool
def search(query: str) -> str:
    """Searches texts."""
    return f"{HEIGHT}\n\n{YEAR}"


def agent_of(*messages: BaseMessage, middleware: RarrMiddleware | None = None, **options: Any) -> Any:
    """Makes an agent whose model answers with `messages`."""
    given = middleware or RarrMiddleware(search="given")
    return create_agent(CallingModel(messages=iter(messages)), [search], middleware=[given], **options)


def part(words: str, **more: Any) -> dict[str, Any]:
    return {"type": "text", "text": words, **more}


@pytest.mark.parametrize(
    ("content", "revised", "expected"),
    [
        ("It is 12 m.", "It is 13 m.", "It is 13 m."),
        (["\n", "It is 12 m.", "\n"], "It is 13 m.", ["It is 13 m."]),
        ([part("It is "), part("12"), part(" m.")], "It is 13 m.", [part("It is 13 m.")]),
        ([THOUGHT, part("12 m"), IMAGE, part("Red")], "13 m\n\nBlue", [THOUGHT, part("13 m\n\nBlue"), IMAGE]),
        ([part("It is 12 m.", annotations=[NOTE])], "It is 13 m.", [part("It is 13 m.")]),
        ([part("It is "), part("12 m.")], "It is 12 m.", [part("It is "), part("12 m.")]),
    ],
)
def test_revision_reaches_the_first_block_of_the_text(content: Any, revised: str, expected: Any) -> None:
    message = AIMessage(content)
    original = answer_text(message) or ""
    told: Any = {"mode": "revise", "outcome": "finished", "notice": ""}
    result = Postprocessed(text=revised, original=original, changed=revised != original, **told)
    assert add_result(message, result).content == expected


@pytest.mark.parametrize(
    ("content", "artifact", "expected"),
    [
        ("It is 221 m high.", None, [NAMED]),
        ([part("It is 221 m high.")], None, [NAMED]),
        (json.dumps([PAGE]), None, [PAGE]),
        (json.dumps({"query": "dam", "answer": "It is 212.", "results": [PAGE, PAGE]}), None, [PAGE, PAGE]),
        (json.dumps([PAGE | {"content": it} for it in ("", " ", None, [HEIGHT])] + [BRIEF]), None, [BRIEF]),
        ("[]", None, []),
        ("", None, []),
        ([IMAGE], None, []),
        ("Found:\nIt is 221 m high.", DOCUMENT, [DOCUMENT]),
        ("Found:\nIt is 221 m high.", [DOCUMENT, Document(" ")], [DOCUMENT]),
        ("Found:\nIt is 221 m high.", {"documents": (DOCUMENT,), "query": "dam"}, [DOCUMENT]),
    ],
)
def test_what_tools_returned_is_a_source(content: Any, artifact: Any, expected: list[Any]) -> None:
    message = ToolMessage(content, tool_call_id="1", name="search", artifact=artifact)
    assert [*tool_sources([HumanMessage("?"), message])] == expected


def model_of(answer: str = WRONG, **options: Any) -> FakeListChatModel:
    return FakeListChatModel(responses=[answer], **options)


def test_message_of_a_chain_comes_back_revised_with_the_record() -> None:
    result = (CHAIN | model_of() | RarrRunnable(search=KNOWN)).invoke({"question": QUESTION})
    assert isinstance(result, AIMessage)
    record = Postprocessed.model_validate(result.response_metadata["rarr"])
    assert result.content == record.text == RIGHT
    assert (record.original, record.notice) == (WRONG, "1 corrected")


def test_texts_and_documents_are_sources_and_blank_ones_are_left_out() -> None:
    given = {"answer": ANSWER, "sources": [Document(" "), HEIGHT, ""], "context": Document(YEAR)}
    result = RarrRunnable(search="given").invoke(given)
    assert result["answer"] == f"{RIGHT} {FINISHED} {UNKNOWN}"
    assert [citation.source for citation in result["rarr"].citations] == ["passage 1", "passage 2"]


def test_corpus_beside_the_sources_of_the_input_alone_is_refused() -> None:
    with pytest.raises(InputError, match="search is 'given', and corpus is set: leave one of the two out"):
        RarrRunnable(search="given", corpus="notes")


@pytest.mark.parametrize("empty", ["", " \n", AIMessage(""), AIMessage(" ")])
def test_empty_answer_passes_unchanged(empty: Any) -> None:
    known = RarrRunnable(search=KNOWN)
    assert known.invoke(empty) is empty
    assert known.invoke({"answer": empty}) == {"answer": empty, "rarr": None}


def test_answer_is_revised_by_what_the_tool_returned_and_keeps_its_id_and_usage() -> None:
    usage: Any = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    metadata = {"finish_reason": "stop"}
    answer = AIMessage(ANSWER, id="answer-1", usage_metadata=usage, response_metadata=metadata)
    messages = agent_of(CALL, answer).invoke(ASKED)["messages"]
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"]
    last = messages[-1]
    expected = f"{RIGHT} {FINISHED} {UNKNOWN}", "answer-1", usage
    assert (last.content, last.id, last.usage_metadata) == expected
    assert last.response_metadata["finish_reason"] == "stop"
    assert json.loads(json.dumps(last.response_metadata)) == last.response_metadata
    record = Postprocessed.model_validate(last.response_metadata["rarr"])
    assert record.notice == "1 corrected, 1 not confirmed, 1 confirmed"


def test_structured_output_is_left_alone() -> None:
    class Dam(BaseModel):
        text: str

    answer = AIMessage(json.dumps({"text": WRONG}))
    result = agent_of(CALL, answer, response_format=ProviderStrategy(Dam)).invoke(ASKED)
    assert result["structured_response"] == Dam(text=WRONG)
    assert result["messages"][-1].content == answer.content
    assert "rarr" not in result["messages"][-1].response_metadata


async def test_stream_of_tokens_lacks_the_words_of_the_model_that_checks() -> None:
    begun = list[Any]()

    class Begun(BaseCallbackHandler):
        def on_chat_model_start(self, serialized: Any, messages: Any, **more: Any) -> None:
            begun.append(messages)

    checking = model_of("unreadable", callbacks=[Begun()])
    middleware = RarrMiddleware(search=InMemoryRetriever([HEIGHT]), model=checking)
    stream = agent_of(AIMessage(WRONG, id="a"), middleware=middleware).astream(ASKED, stream_mode="messages")
    assert "".join([message.content async for message, _ in stream]) == WRONG
    assert begun
