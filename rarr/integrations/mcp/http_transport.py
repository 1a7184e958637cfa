"""Serves the tools over streamable HTTP, to callers with the token if there is one."""

import hmac
from collections.abc import Callable

import uvicorn
from starlette.responses import PlainTextResponse
from starlette.types import ASGIApp, Receive, Scope, Send

from rarr.errors import InputError
from rarr.integrations.mcp.tool_server import ToolServer
from rarr.tools.guard.listening import is_loopback, listening_socket, require_long

PATH = "/mcp"
_MOST_SESSIONS = 200


async def serve_http(
    server: ToolServer, host: str, port: int, token: str | None, on_ready: Callable[[str], None]
) -> None:
    """Serves until the process is told to end. `on_ready` is called with the address; port 0: any free port.

    An empty token is none. Raises `InputError` for an address that cannot be used, and for one beyond this
    machine without a token, and `SettingsError` for a token that is too short.
    """
    token = (token or "").strip()
    if token:
        require_long(token, "mcp_token")
    elif not is_loopback(host):
        raise InputError(
            f"--host {host} lets other machines in: set RARR_MCP_TOKEN, which callers then have to send"
        )
    app: ASGIApp = server.streamable_http_app(
        streamable_http_path=PATH, host=host, max_sessions=_MOST_SESSIONS
    )
    if token:
        app = _Guarded(app, token)
    listening = listening_socket(host, port)
    try:
        config = uvicorn.Config(app, log_level="warning", access_log=False, timeout_graceful_shutdown=1)
        shown = f"[{host}]" if ":" in host else host
        on_ready(f"http://{shown}:{listening.getsockname()[1]}{PATH}")
        await uvicorn.Server(config).serve(sockets=[listening])
    finally:
        listening.close()


class _Guarded:
    """Lets through the requests that bear the token."""

    def __init__(self, app: ASGIApp, token: str) -> None:
        self._app, self._expected = app, f"Bearer {token}".encode()

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        if scope["type"] == "http" and not self._bears(scope):
            refusal = PlainTextResponse(
                "send the token of this server: Authorization: Bearer TOKEN\n",
                status_code=401,
                headers={"WWW-Authenticate": "Bearer"},
            )
            await refusal(scope, receive, send)
            return
        await self._app(scope, receive, send)

    def _bears(self, scope: Scope) -> bool:
        given = [value for name, value in scope["headers"] if name == b"authorization"]
        return len(given) == 1 and hmac.compare_digest(given[0], self._expected)
