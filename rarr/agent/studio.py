"""Builds the graph for `langgraph dev` and Studio, which send plain JSON and do not know components.

`langgraph.json` names it. It has one node, which shows the steps of the pipeline as those of a subgraph.
Settings come from the environment and `rarr.toml`. They are read once, at the first run.
"""

import asyncio
from functools import cache
from threading import Lock
from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import (
    TypedDict,  # before Python 3.12, pydantic needs this class for a schema of the input
)

from rarr.agent.revise import Reviser
from rarr.errors import RarrError


class StudioInput(TypedDict):
    """The input in Studio."""

    text: str
    context: NotRequired[str | None]


class Revised(StudioInput):
    """The output in Studio: `revision` is a `Revision` as JSON; None if `error` gives the reason."""

    revision: dict[str, Any] | None
    error: str


_making = Lock()


@cache
def _made() -> Reviser:
    return Reviser()


def _reviser() -> Reviser:
    """Returns the only reviser, made at the first call, even if two runs call it at once."""
    with _making:
        return _made()


async def revise(state: StudioInput) -> dict[str, Any]:
    """Revises one text.

    A `RarrError` is returned as `error`, since the server writes exceptions only to its log.
    """
    try:
        reviser = await asyncio.to_thread(_reviser)  # it reads files
        revision = await reviser.arevise(state["text"], state.get("context"))
    except RarrError as error:
        return {"revision": None, "error": str(error)}
    return {"revision": revision.model_dump(mode="json"), "error": ""}


def _graph() -> CompiledStateGraph[Revised, None, StudioInput, Revised]:
    graph = StateGraph(Revised, input_schema=StudioInput)
    graph.add_node(revise)
    graph.add_edge(START, "revise")
    graph.add_edge("revise", END)
    return graph.compile()


graph = _graph()
