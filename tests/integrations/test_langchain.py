"""The steps of chains and the middleware of agents of LangChain: what is revised, and what stays."""

import json
from collections.abc import Callable, Sequence
from typing import Any

import pytest
from agent.dams import ANSWER, FINISHED, HEIGHT, RIGHT, UNKNOWN, WRONG, YEAR, run_once
from langchain.agents import create_agent
from langchain.agents.structured_output import ProviderStrategy
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage, HumanMessage, ToolMessage
from langchain_core.prompts import ChatPromptTemplate
from langchain_core.runnables import RunnablePassthrough
from langchain_core.tools import BaseTool, tool
from pydantic import BaseModel

from rarr import Postprocessed
from rarr.integrations.langchain import RarrMiddleware, RarrRunnable, answer_text, tool_sources, with_result
from rarr.testing import InMemoryRetriever, ScriptedModel

QUESTION = "How high is the Hoover Dam?"


class CallingModel(GenericFakeChatModel):
    """Gives its messages one after the other; any tools may be bound to it."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> "CallingModel":
        return self


class Begun(BaseCallbackHandler):
    """Counts the requests to chat models."""

    def __init__(self) -> None:
        self.models = 0

    def on_chat_model_start(self, serialized: Any, messages: Any, **more: Any) -> None:
        self.models += 1


def call(name: str = "search", number: int = 1) -> AIMessage:
    """A message that calls a tool."""
    return AIMessage(
        content="", tool_calls=[{"name": name, "args": {"query": "dam"}, "id": f"call-{number}"}]
    )


def agent(
    messages: Sequence[BaseMessage],
    tools: Sequence[BaseTool | Callable[..., Any]],
    middleware: RarrMiddleware,
    **options: Any,
) -> Any:
    """An agent whose model gives `messages`."""
    model = CallingModel(messages=iter(messages))
    return create_agent(model, [*tools], middleware=[middleware], **options)


def asked(question: str = QUESTION) -> dict[str, Any]:
    """The input of an agent."""
    return {"messages": [{"role": "user", "content": question}]}


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


@pytest.mark.parametrize(
    "artifact", [DOCUMENT, [DOCUMENT, Document(" ")], {"documents": (DOCUMENT,), "query": "dam"}]
)
def test_documents_of_an_artifact_take_the_place_of_the_text(artifact: Any) -> None:
    assert sources("Found:\nIt is 221 m high.", artifact=artifact) == [DOCUMENT]


PROMPT = ChatPromptTemplate.from_template("{question}")


def model(answer: str = WRONG) -> FakeListChatModel:
    return FakeListChatModel(responses=[answer])


def known() -> RarrRunnable:
    return RarrRunnable(search=InMemoryRetriever([HEIGHT, YEAR]))


def test_message_of_a_chain_comes_back_revised_with_the_record() -> None:
    result = (PROMPT | model() | known()).invoke({"question": QUESTION})
    assert isinstance(result, AIMessage)
    assert result.content == RIGHT
    record = Postprocessed.model_validate(result.response_metadata["rarr"])
    assert (record.text, record.original, record.notice) == (RIGHT, WRONG, "1 corrected, 1 confirmed")


def test_retrieval_chain_gives_its_documents_as_sources() -> None:
    chain = RunnablePassthrough.assign(answer=PROMPT | model(ANSWER)) | RarrRunnable(search="given")
    documents = [Document(HEIGHT, metadata={"source": "dam.txt"}), Document(" "), Document(YEAR)]
    result = chain.invoke({"question": QUESTION, "context": documents})
    assert result["answer"].content == f"{RIGHT} {FINISHED} {UNKNOWN}"
    assert [citation.source for citation in result["rarr"].citations] == ["dam.txt", "passage 2"]


@pytest.mark.parametrize("empty", ["", " \n", AIMessage(""), AIMessage(" ")])
def test_empty_answer_passes_unchanged(empty: Any) -> None:
    assert known().invoke(empty) is empty
    assert known().invoke({"answer": empty}) == {"answer": empty, "rarr": None}


REVISED = f"{RIGHT} {FINISHED} {UNKNOWN}"


@tool
def search(query: str) -> str:
    """Searches texts."""
    return f"{HEIGHT}\n\n{YEAR}"


@pytest.fixture(scope="module", autouse=True)
def imported() -> None:
    run_once()


def given() -> RarrMiddleware:
    return RarrMiddleware(search="given")


def record_of(message: Any) -> Postprocessed:
    return Postprocessed.model_validate(message.response_metadata["rarr"])


def test_answer_is_revised_by_what_the_tool_returned() -> None:
    made = agent([call(), AIMessage(ANSWER)], [search], given())
    message = made.invoke(asked())["messages"][-1]
    assert message.content == REVISED
    assert record_of(message).notice == "1 corrected, 1 not confirmed, 2 confirmed"


def test_message_is_replaced_and_keeps_its_id_and_usage() -> None:
    usage: Any = {"input_tokens": 3, "output_tokens": 4, "total_tokens": 7}
    metadata = {"finish_reason": "stop"}
    answer = AIMessage(WRONG, id="answer-1", usage_metadata=usage, response_metadata=metadata)
    messages = agent([call(), answer], [search], given()).invoke(asked())["messages"]
    assert [message.type for message in messages] == ["human", "ai", "tool", "ai"]
    last = messages[-1]
    assert (last.content, last.id, last.usage_metadata) == (RIGHT, "answer-1", usage)
    assert last.response_metadata["finish_reason"] == "stop"
    assert json.loads(json.dumps(last.response_metadata)) == last.response_metadata


def test_structured_output_is_left_alone() -> None:
    class Dam(BaseModel):
        text: str

    answer = AIMessage(json.dumps({"text": WRONG}))
    made = agent([call(), answer], [search], given(), response_format=ProviderStrategy(Dam))
    result = made.invoke(asked())
    assert result["structured_response"] == Dam(text=WRONG)
    assert result["messages"][-1].content == answer.content
    assert "rarr" not in result["messages"][-1].response_metadata


async def test_stream_of_tokens_lacks_the_words_of_the_model_that_checks() -> None:
    begun = Begun()
    checking = FakeListChatModel(responses=["unreadable"], callbacks=[begun])
    middleware = RarrMiddleware(search=InMemoryRetriever([HEIGHT]), model=checking)
    made = agent([AIMessage(WRONG, id="a")], [search], middleware)
    tokens = [message.content async for message, _ in made.astream(asked(), stream_mode="messages")]
    assert begun.models
    assert "".join(tokens) == WRONG


def test_dead_model_behind_the_step_lets_the_original_out() -> None:
    dead = ScriptedModel({}, failures=[OSError("connection refused")] * 1000)
    result: Any = RarrRunnable(model=dead).invoke({"answer": AIMessage(ANSWER), "sources": [HEIGHT]})
    assert (result["answer"].content, result["rarr"].outcome) == (ANSWER, "failed")
    assert "connection refused" in result["answer"].response_metadata["rarr"]["notice"]
