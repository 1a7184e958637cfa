"""A chat model that calls tools by a script, agents with it, and a handler that notes which runs began."""

from collections.abc import Callable, Sequence
from typing import Any

from langchain.agents import create_agent
from langchain_core.callbacks import BaseCallbackHandler
from langchain_core.language_models.fake_chat_models import GenericFakeChatModel
from langchain_core.messages import AIMessage, BaseMessage
from langchain_core.tools import BaseTool

from rarr.integrations.langchain import RarrMiddleware

QUESTION = "How high is the Hoover Dam?"


class CallingModel(GenericFakeChatModel):
    """Gives its messages one after the other; any tools may be bound to it."""

    def bind_tools(self, tools: Sequence[Any], **options: Any) -> "CallingModel":
        return self


class Begun(BaseCallbackHandler):
    """Notes the names of the chain runs that began, and the runs in which they did.

    `models` is the number of requests to chat models.
    `most` is the largest number of runs named RarrRunnable at the same time.
    """

    def __init__(self) -> None:
        self.names: list[str] = []
        self.parents: dict[str, str | None] = {}
        self.failed: list[BaseException] = []
        self.most = self.models = 0
        self._by_id: dict[Any, str] = {}
        self._running: set[Any] = set()

    def on_chain_start(self, serialized: Any, inputs: Any, **more: Any) -> None:
        self.names.append(more["name"])
        self._by_id[more["run_id"]] = more["name"]
        self.parents[more["name"]] = self._by_id.get(more["parent_run_id"])
        if more["name"] == "RarrRunnable":
            self._running.add(more["run_id"])
            self.most = max(self.most, len(self._running))

    def on_chat_model_start(self, serialized: Any, messages: Any, **more: Any) -> None:
        self.models += 1

    def on_chain_end(self, outputs: Any, **more: Any) -> None:
        self._running.discard(more["run_id"])

    def on_chain_error(self, error: BaseException, **more: Any) -> None:
        self.failed.append(error)


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
