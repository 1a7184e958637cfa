"""`RarrMiddleware` in agents: what is revised, from which sources, and what stays as it was."""

import json
from typing import Any

import pytest
from agent.dams import ANSWER, FINISHED, HEIGHT, RIGHT, UNKNOWN, WRONG, YEAR, run_once
from langchain.agents.structured_output import ProviderStrategy
from langchain_core.documents import Document
from langchain_core.language_models import FakeListChatModel
from langchain_core.messages import AIMessage
from langchain_core.tools import tool
from langgraph.checkpoint.memory import InMemorySaver
from pydantic import BaseModel

from integrations.chat_models import Begun, agent, asked, call
from rarr import Postprocessed
from rarr.integrations.langchain import RarrMiddleware
from rarr.testing import InMemoryRetriever

REVISED = f"{RIGHT} {FINISHED} {UNKNOWN}"


@tool
def search(query: str) -> str:
    """Searches texts."""
    return f"{HEIGHT}\n\n{YEAR}"


@tool(response_format="content_and_artifact")
def retrieve(query: str) -> tuple[str, list[Document]]:
    """Retrieves documents."""
    documents = [
        Document(text, metadata={"source": name}) for name, text in (("dam.txt", HEIGHT), ("y.txt", YEAR))
    ]
    return "\n\n".join(document.page_content for document in documents), documents


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


@pytest.mark.parametrize("subgraphs", [False, True])
def test_run_neither_streams_nor_is_kept_with_the_agent(subgraphs: bool) -> None:
    saver = InMemorySaver()
    made = agent([call(), AIMessage(WRONG)], [search], given(), checkpointer=saver)
    config = {"configurable": {"thread_id": "1"}, "recursion_limit": 6}
    streamed = [*made.stream(asked(), config, stream_mode="updates", subgraphs=subgraphs)]
    assert len(streamed) == 4  # model, tools, model, the middleware
    assert [*saver.storage["1"]] == [""]
    assert made.get_state(config).values["messages"][-1].content == RIGHT
