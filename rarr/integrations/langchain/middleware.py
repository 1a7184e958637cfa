"""Offers the middleware that postprocesses the last answer of an agent."""

import asyncio
from collections.abc import Mapping
from typing import Any

from langchain.agents.middleware import AgentMiddleware, AgentState
from langchain_core.messages import AIMessage
from langgraph.runtime import Runtime

from rarr.agent.revise import Reviser
from rarr.integrations.langchain.message_text import answer_text
from rarr.integrations.langchain.runnable import RarrRunnable
from rarr.integrations.langchain.tool_sources import tool_sources
from rarr.records.postprocessing import PostprocessMode


class RarrMiddleware(AgentMiddleware[AgentState[Any], Any, Any]):
    """Postprocesses the last answer of an agent, as `rarr.postprocess` does.

    The documents and texts that the tools returned since the last message of a person are the sources, and
    the conversation says what the answer is about. The message keeps its id, usage and other blocks; its
    `response_metadata["rarr"]` is the record `Postprocessed` as JSON data. An answer that is structured
    output, and a message that calls tools or has no text, stay as they are.
    """

    def __init__(
        self,
        reviser: Reviser | None = None,
        *,
        mode: PostprocessMode = "revise",
        search: Any = None,
        deadline: float | None = None,
        **settings: Any,
    ) -> None:
        """The options are those of `RarrRunnable`. Raises `InputError` for wrong options."""
        super().__init__()
        self.tools = ()
        self._runnable = RarrRunnable(reviser, mode=mode, search=search, deadline=deadline, **settings)

    def after_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Replaces the agent's last answer in a synchronous run."""
        if (value := _answer(state)) is None:
            return None
        return _update(self._runnable.invoke(value))

    async def aafter_agent(self, state: AgentState[Any], runtime: Runtime[Any]) -> dict[str, Any] | None:
        """Replaces the agent's last answer in an asynchronous run."""
        if (value := await asyncio.to_thread(_answer, state)) is None:
            return None
        return _update(await self._runnable.ainvoke(value))


def _answer(state: AgentState[Any]) -> dict[str, Any] | None:
    """Returns the last answer with its conversation and sources; None if there is no answer in words."""
    messages = state["messages"]
    last = messages[-1] if messages else None
    if not isinstance(last, AIMessage) or answer_text(last) is None or state.get("structured_response"):
        return None
    return {"answer": last, "question": messages[:-1], "sources": tool_sources(messages)}


def _update(value: object) -> dict[str, Any]:
    assert isinstance(value, Mapping)  # the type of the input
    return {"messages": [value["answer"]]}
