"""Builds the graph for LangGraph's own server and Studio, as `langgraph.json` names it.

In Studio, a person sets corpus, model, preset and prompts, and gives a text with its question. Other settings
come from the file and the environment. A node that fails ends the run, and Studio shows its error.
"""

from asyncio import to_thread
from collections.abc import Awaitable, Callable, Mapping
from functools import lru_cache
from typing import Any, Literal, NotRequired

from langgraph.runtime import Runtime
from langgraph_sdk.runtime import ServerRuntime
from pydantic import BaseModel, ConfigDict, ValidationError
from typing_extensions import TypedDict

from rarr.agent.graph import Node, build_graph, metered_node
from rarr.agent.inputs import context_text, required_text
from rarr.agent.runs import CompiledGraph, budget_of, using_meter
from rarr.agent.wiring.components import wire
from rarr.components import Components
from rarr.errors import SettingsError
from rarr.settings import Settings
from rarr.settings.reading import error_line
from rarr.state import State
from rarr.tools.models.run_budget import Meter


class StudioContext(BaseModel):
    """The settings that a person can change for a run in Studio."""

    model_config = ConfigDict(frozen=True, extra="forbid")

    corpus: str | None = None
    """A folder, a file or a built index to search; for None, the sources of the settings, else Wikipedia."""
    model: str = "embedded"
    """The model that reads and edits: `embedded`, or `provider:NAME`."""
    preset: Literal["default", "paper", "fast"] = "default"
    """A named set of settings."""
    prompts: str | None = None
    """A folder with prompts of your own."""

    def __init__(self, **values: Any) -> None:
        """Raises `SettingsError` with one line that names the key and the cure."""
        try:
            super().__init__(**values)
        except ValidationError as error:
            raise SettingsError(error_line(error, values, type(self).model_fields, set())) from None


class StudioInput(TypedDict):
    """The input of a run: the text to revise, and the question or conversation that it answers."""

    text: str
    context: NotRequired[str | None]


@lru_cache(maxsize=4)
def _components(context: StudioContext) -> Components:
    return wire(Settings(**context.model_dump(exclude_unset=True)))


def _in_studio(name: str, node: Node) -> Callable[..., Awaitable[Any]]:
    """Wraps a node so that it gets the components that the context names. Limits apply to each node alone."""

    async def studio_node(state: Any, runtime: Runtime[StudioContext]) -> Any:
        components = await to_thread(_components, runtime.context or StudioContext())
        start: State = {}
        if "original" not in state and "query" not in state:
            text = required_text(state.get("text", ""), "text")
            asked = context_text(state.get("context"))
            start = State(original=text, text=text, context=asked, round=1, warnings=[])
        with using_meter(Meter(budget_of(components.settings))):
            update = await metered_node(name, node)({**state, **start}, Runtime(context=components))
        return {**start, **update}

    return studio_node


pipeline = build_graph(wrap=_in_studio, context_schema=StudioContext, input_schema=StudioInput).compile()


def graph(runtime: ServerRuntime[Any]) -> CompiledGraph:
    """Returns the pipeline for a run. Raises `SettingsError` for an unknown key in the context of the run."""
    execution = runtime.execution_runtime
    if execution is not None and isinstance(execution.context, Mapping):
        StudioContext(**execution.context)
    return pipeline
