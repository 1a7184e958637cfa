"""`rarr mcp`: serves the tools of `rarr` to agents, over standard input or HTTP."""

import logging
import sys
from typing import TYPE_CHECKING, Any

from rarr.cli import graph_options, options
from rarr.errors import InputError

if TYPE_CHECKING:
    from rarr.integrations.mcp import ToolServer


def mcp(
    corpus: options.Corpus = None,
    graph: graph_options.Graph = None,
    search: options.Search = None,
    include_domain: options.IncludeDomain = None,
    exclude_domain: options.ExcludeDomain = None,
    offline: options.Offline = False,
    model: options.Model = None,
    base_url: options.BaseUrl = None,
    prompts: options.Prompts = None,
    preset: options.Preset = None,
    max_calls: options.MaxCalls = None,
    deadline: options.Deadline = None,
    transport: options.Transport = "stdio",
    host: options.Host = None,
    port: options.Port = None,
) -> int:
    """Serve tools for agents over the Model Context Protocol (MCP). Needs pip install 'rarr[mcp]'.

    The tools are revise_text, verify_claim, cite_text and find_evidence. They search the sources that are
    named here, and the passages that a caller gives; a caller names no file and no address. A client starts
    the command itself, and speaks to it over standard input and output. With --transport http the server
    listens at http://127.0.0.1:8765/mcp; on other addresses, callers need the token of RARR_MCP_TOKEN.

    \b
    Examples:
      rarr mcp --corpus notes/
      rarr mcp --corpus notes.index --search corpus,wikipedia
      rarr mcp --corpus notes/ --transport http --port 8765
    """
    if transport == "stdio" and (host is not None or port is not None):
        raise InputError("--host and --port belong to HTTP: add --transport http, or leave them out")
    given = options.given(
        corpus=corpus,
        graph=graph,
        search=search,
        include_domains=include_domain,
        exclude_domains=exclude_domain,
        offline=offline,
        model=model,
        base_url=base_url,
        prompts=prompts,
        preset=preset,
        max_calls=max_calls,
        deadline_s=deadline,
    )
    # Otherwise the library colours its log, and shows what callers send.
    logging.basicConfig(level=logging.WARNING, format="rarr: %(message)s", stream=sys.stderr)
    server, token = _made(given)
    import anyio

    anyio.run(_serve, server, transport, host or "127.0.0.1", 8765 if port is None else port, token)
    return 0


def _made(chosen: dict[str, Any]) -> "tuple[ToolServer, str | None]":
    from rarr.integrations.mcp import ToolServer
    from rarr.settings import Settings
    from rarr.views.terminal.progress_line import Waiting

    settings = Settings(**chosen)
    with Waiting(watched=sys.stderr.isatty()) as waiting:
        server = ToolServer(settings, on_index=waiting.indexed)
    return server, None if settings.mcp_token is None else settings.mcp_token.get_secret_value()


async def _serve(server: "ToolServer", transport: str, host: str, port: int, token: str | None) -> None:
    try:
        if transport == "stdio":
            await server.run_stdio_async()
        else:
            from rarr.integrations.mcp.server import serve_http

            await serve_http(server, host, port, token, _say_ready)
    finally:
        await server.aclose()


def _say_ready(address: str) -> None:
    sys.stderr.write(f"rarr: listening at {address}\n")
    sys.stderr.flush()
