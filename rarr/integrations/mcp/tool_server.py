"""The server: its tools and resources, and its errors, which are one line each."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, InputRequiredResult, Resource, ToolAnnotations
from pydantic import TypeAdapter, ValidationError

from rarr.agent.revise import Reviser
from rarr.agent.step_listener import tell_step
from rarr.errors import RarrError
from rarr.integrations.mcp.arguments import GivenEvidence
from rarr.integrations.mcp.run_resources import LISTED, RunResources
from rarr.integrations.mcp.tools import Tools
from rarr.settings import Settings, installed_version
from rarr.tools.models.failures import redacted
from rarr.tools.text.validator_messages import cure
from rarr.views.terminal.revision import one_line

_INSTRUCTIONS = (
    "Checks texts against evidence: the sources of this server, and passages that you give. You cannot name"
    " files or addresses to read. A sentence that is not confirmed is not wrong: nothing decides it."
)
_TITLES = {
    "revise_text": "Correct a text by evidence",
    "cite_text": "Put citations into a text",
    "verify_claim": "Verify a claim",
    "find_evidence": "Find evidence",
}


class ToolServer(MCPServer[Any]):
    """A server of the Model Context Protocol with the tools of `rarr`; `run()` serves standard input.

    The settings name all sources that the tools search. Raises `RarrError` where something is missing.
    `on_index` is called as by `Reviser`. Close the server after its last use.
    """

    def __init__(
        self, settings: Settings | None = None, *, on_index: Callable[[int, int], None] | None = None
    ) -> None:
        self._reviser = Reviser(settings or Settings(), on_step=tell_step, on_index=on_index)
        own = Tools(self._reviser)
        methods = (own.revise_text, own.cite_text, own.verify_claim, own.find_evidence)
        with _log_as_it_was():
            super().__init__(
                "rarr",
                title="rarr",
                version=installed_version(),
                instructions=_INSTRUCTIONS,
                tools=[_tool(method) for method in methods],
            )
        self._runs = RunResources(own.runs, Path(self._reviser.settings.home))
        self.resource(LISTED, name="runs", mime_type="application/json")(self._runs.listed)
        self.resource(f"{LISTED}/{{run_id}}/revision", mime_type="application/json")(self._runs.revision)
        self.resource(f"{LISTED}/{{run_id}}/trace", mime_type="text/plain")(self._runs.trace)

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Calls a tool. Raises `ToolError` with one line that names the cure."""
        self._require_known(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise _as_one_line(name, error) from error.__cause__

    async def list_resources(self) -> list[Resource]:
        """Lists the list of runs, and the revision and the trace of each run of this server."""
        return [*await super().list_resources(), *self._runs.resources()]

    async def aclose(self) -> None:
        """Closes the reviser that the tools share, with its files and connections."""
        await self._reviser.aclose()

    def _require_known(self, name: str, arguments: dict[str, Any]) -> None:
        tools = {tool.name: tool for tool in self._tool_manager.list_tools()}
        if name not in tools:
            raise ToolError(f"there is no tool {one_line(name, 40)!r}: use {', '.join(tools)}")
        known = tools[name].parameters["properties"]
        if unknown := [key for key in arguments if key not in known]:
            raise ToolError(f"{name} has no argument {one_line(unknown[0], 40)!r}: give {', '.join(known)}")


@contextmanager
def _log_as_it_was() -> Iterator[None]:
    """Restores the root logger's handlers and level after the block, in which the library changes them.

    The log of the whole process belongs to the application.
    """
    log = logging.getLogger()
    handlers, level = list(log.handlers), log.level
    yield
    log.handlers[:] = handlers
    log.setLevel(level)


def _tool(method: Callable[..., Any]) -> Tool:
    name = method.__name__
    tool = Tool.from_function(
        method,
        title=_TITLES[name],
        description=_description(method),
        annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=True),
    )
    tool.parameters["additionalProperties"] = False
    # The schema of what is sent: computed fields of the records are part of it.
    metadata = tool.fn_metadata
    metadata.output_schema = TypeAdapter(metadata.output_model).json_schema(mode="serialization")
    return tool


def _description(method: Callable[..., Any]) -> str:
    """Joins the lines of each paragraph of the docstring."""
    paragraphs = (method.__doc__ or "").split("\n\n")
    return "\n\n".join(" ".join(paragraph.split()) for paragraph in paragraphs).strip()


def _as_one_line(name: str, error: ToolError) -> ToolError:
    cause = error.__cause__
    if isinstance(error, UnexpectedToolError) and not isinstance(cause, RarrError):
        return UnexpectedToolError(f"{name} failed by a defect of rarr: its log has the reason")
    if isinstance(cause, ValidationError):
        return ToolError(_wrong_argument(name, cause))
    return ToolError(one_line(redacted(str(cause or error))))


def _wrong_argument(name: str, error: ValidationError) -> str:
    first = error.errors()[0]
    place = ".".join(map(str, first["loc"]))
    if first["type"] == "extra_forbidden":
        told = f"it is unknown: give {', '.join(GivenEvidence.model_fields)}"
    else:
        told = cure(first)
    return one_line(f"the argument {place} of {name} is wrong: {told}")
