"""The server of the tools, and its errors, which are one line each; also over HTTP."""

import logging
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from typing import Any

import uvicorn
from mcp.server.mcpserver import Context, MCPServer
from mcp.server.mcpserver.exceptions import ToolError, UnexpectedToolError
from mcp.server.mcpserver.tools import Tool
from mcp.types import CallToolResult, InputRequiredResult, ToolAnnotations
from pydantic import SecretStr, TypeAdapter, ValidationError
from starlette.datastructures import Headers
from starlette.types import ASGIApp, Receive, Scope, Send

from rarr.agent.revise import Reviser
from rarr.errors import RarrError
from rarr.integrations.mcp.tools import GivenEvidence, Tools
from rarr.serve.bodies import Refusal
from rarr.serve.gate import Callers
from rarr.settings import Settings, installed_version
from rarr.tools.guard.listening import listening_socket
from rarr.tools.models.failures import redacted
from rarr.tools.text.wording import cure
from rarr.views.shown_text import one_line

PATH = "/mcp"
_MOST_SESSIONS = 200
_INSTRUCTIONS = (
    "Checks texts against evidence: the sources of this server, and passages that you give. You cannot name"
    " files or addresses to read. A sentence that is not confirmed is not wrong: nothing decides it."
)


class ToolServer(MCPServer[Any]):
    """A server of the Model Context Protocol with the tools of `rarr`; `run()` serves standard input.

    The settings name all sources that the tools search. Raises `RarrError` where something is missing.
    `on_index` is called as by `Reviser`. Close the server after its last use.
    """

    def __init__(
        self, settings: Settings | None = None, *, on_index: Callable[[int, int], None] | None = None
    ) -> None:
        self._reviser = Reviser(settings or Settings(), on_index=on_index)
        own = Tools(self._reviser)
        methods = (own.revise_text, own.cite_text, own.verify_claim)
        with _log_as_it_was():
            super().__init__(
                "rarr",
                title="rarr",
                version=installed_version(),
                instructions=_INSTRUCTIONS,
                tools=[_tool(method) for method in methods],
            )

    async def call_tool(
        self, name: str, arguments: dict[str, Any], context: Context[Any, Any] | None = None
    ) -> CallToolResult | InputRequiredResult:
        """Calls a tool. Raises `ToolError` with one line that names the cure."""
        self._require_known(name, arguments)
        try:
            return await super().call_tool(name, arguments, context)
        except ToolError as error:
            raise _as_one_line(name, error) from error.__cause__

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
    # The lines of each paragraph of the docstring are one line.
    paragraphs = [" ".join(paragraph.split()) for paragraph in (method.__doc__ or "").split("\n\n")]
    tool = Tool.from_function(
        method,
        description="\n\n".join(paragraphs).strip(),
        annotations=ToolAnnotations(read_only_hint=True, destructive_hint=False, open_world_hint=True),
    )
    tool.parameters["additionalProperties"] = False
    # The schema of what is sent: computed fields of the records are part of it.
    metadata = tool.fn_metadata
    metadata.output_schema = TypeAdapter(metadata.output_model).json_schema(mode="serialization")
    return tool


def _as_one_line(name: str, error: ToolError) -> ToolError:
    cause = error.__cause__
    if isinstance(error, UnexpectedToolError) and not isinstance(cause, RarrError):
        return UnexpectedToolError(f"{name} failed by a defect of rarr: its log has the reason")
    if not isinstance(cause, ValidationError):
        return ToolError(one_line(redacted(str(cause or error))))
    first = cause.errors()[0]
    place = ".".join(map(str, first["loc"]))
    is_unknown = first["type"] == "extra_forbidden"
    told = f"it is unknown: give {', '.join(GivenEvidence.model_fields)}" if is_unknown else cure(first)
    return ToolError(one_line(f"the argument {place} of {name} is wrong: {told}"))


async def serve_http(
    server: ToolServer, host: str, port: int, token: SecretStr | None, on_ready: Callable[[str], None]
) -> None:
    """Serves until the process is told to end. `on_ready` is called with the address; port 0: any free port.

    Raises `InputError` for an address that cannot be used, and `SettingsError` for one beyond this machine
    without a token, and for a token that is too short.
    """
    callers = Callers(token, host, "mcp_token")
    app: ASGIApp = server.streamable_http_app(
        streamable_http_path=PATH, host=host, max_sessions=_MOST_SESSIONS
    )

    async def guarded(scope: Scope, receive: Receive, send: Send) -> None:
        """Lets through the requests that bear the token."""
        answer = app
        if scope["type"] == "http":
            try:
                callers.of(Headers(scope=scope))
            except Refusal as refusal:
                answer = refusal.response()
        await answer(scope, receive, send)

    listening = listening_socket(host, port)
    try:
        config = uvicorn.Config(guarded, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
        shown = f"[{host}]" if ":" in host else host
        on_ready(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
        await uvicorn.Server(config).serve(sockets=[listening])
    finally:
        listening.close()
