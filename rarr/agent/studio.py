"""The graph for `langgraph dev` and Studio, which give plain JSON and know no components.

`langgraph.json` names it. It has one node; the steps of the pipeline are seen in it, as those of a subgraph.
Settings come from the environment and `rarr.toml`, once, at the first run.
"""

import asyncio
from functools import cache
from threading import Lock
from typing import Any, NotRequired

from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from typing_extensions import (
    TypedDict,  # for a schema of the input, pydantic needs this one before Python 3.12
)

from rarr.agent.revise import Reviser
from rarr.errors import RarrError


class Asked(TypedDict):
    """What Studio asks for."""

    text: str
    context: NotRequired[str | None]


class Revised(Asked):
    """`revision` is a `Revision` as JSON has it; None where `error` says why there is none."""

    revision: dict[str, Any] | None
    error: str


_making = Lock()


@cache
def _made() -> Reviser:
    return Reviser()


def _reviser() -> Reviser:
    """One, also where the first two runs come at once."""
    with _making:
        return _made()


async def revise(state: Asked) -> dict[str, Any]:
    """One text. An error is told as a value, since the server keeps what is raised to its own log."""
    try:
        reviser = await asyncio.to_thread(_reviser)  # it reads files
        revision = await reviser.arevise(state["text"], state.get("context"))
    except RarrError as error:
        return {"revision": None, "error": str(error)}
    return {"revision": revision.model_dump(mode="json"), "error": ""}


def _graph() -> CompiledStateGraph[Revised, None, Asked, Revised]:
    graph = StateGraph(Revised, input_schema=Asked)
    graph.add_node(revise)
    graph.add_edge(START, "revise")
    graph.add_edge("revise", END)
    return graph.compile()


graph = _graph()
