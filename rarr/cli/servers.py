"""`rarr serve` serves over HTTP, also as a proxy; `rarr mcp` serves the same as tools for agents."""

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import waiting
from rarr.errors import InputError

if TYPE_CHECKING:
    from rarr.integrations.mcp import ToolServer
    from rarr.settings import Settings

_PORT = click.IntRange(0, 65535)


@click.command()
@click.option("--upstream", metavar="URL", help="OpenAI-compatible server behind this one.")
@click.option(
    "--corpus", metavar="NAME=PATH", multiple=True, help="Corpus that callers may name; repeatable."
)
@click.option(
    "--mode", type=click.Choice(["revise", "cite", "check", "annotate", "off"]),
    help="What becomes of answers whose request does not say; default revise.",
)  # fmt: skip
@click.option(
    "--deadline", metavar="S", type=float, help="Seconds for an answer; then the original goes out."
)
@click.option("--host", metavar="H", help="Address to listen at; default 127.0.0.1.")
@click.option("--port", metavar="N", type=_PORT, help="Port to listen at; default 8100, 0: any.")
@click.option("--workers", metavar="N", type=click.IntRange(1), help="Processes; default one for each core.")
@options.settings(options.GRAPH, options.SEARCH, options.OFFLINE, *options.MODELS)
def serve(corpus: Sequence[str], chosen: dict[str, Any], **served: Any) -> int:
    """Serve rarr over HTTP, and as a proxy of a model.

    Needs pip install 'rarr[serve]'. Clients of OpenAI use the address that is printed as their base URL:
    answers come back revised, everything else under /v1 passes. The object "rarr" in the body of a request
    may set mode, sources, corpus (by its NAME), search and deadline_s. Its own calls are
    /v1/revise, /v1/postprocess, /v1/verify and /v1/cite. On other addresses than this machine's own, callers
    need a token of RARR_SERVE_TOKEN.

    \b
    Examples:
      rarr serve --upstream https://api.openai.com/v1 --corpus notes=notes/
      rarr serve --upstream http://localhost:8000/v1 --corpus docs=docs.index --mode check --deadline 5
    """
    from rarr.serve import require_packages

    require_packages()
    import asyncio

    from rarr.cli.interrupts import hand_over
    from rarr.serve.server import log_to_stderr, require_safe, serve as serve_forever
    from rarr.settings import Settings

    served["upstream_url"], served["deadline_s"] = served.pop("upstream"), served.pop("deadline")
    served["corpora"] = _corpora(corpus) or None
    named = {f"serve_{name}": value for name, value in served.items()}
    settings = Settings(**chosen, **options.given(**named))
    require_safe(settings)
    hand_over()
    with log_to_stderr():
        asyncio.run(serve_forever(settings, _say_ready))
    return 0


def _corpora(given: Sequence[str]) -> dict[str, str]:
    """Reads NAME=PATH. Raises `InputError` for anything else."""
    corpora = {}
    for entry in given:
        name, equals, path = entry.partition("=")
        if not (name and equals and path):
            raise InputError(
                f"--corpus is {entry!r}: give a name for callers and a path, such as notes=notes/"
            )
        if name in corpora:
            raise InputError(f"--corpus names {name!r} twice: give each corpus another name")
        corpora[name] = path
    return corpora


@click.command()
@options.settings(*options.RUN)
@options.choice("--transport", "stdio http", "Standard input and output, or streamable HTTP.")
@click.option("--host", metavar="H", help="Address to listen at; default 127.0.0.1.")
@click.option("--port", metavar="N", type=_PORT, help="Port to listen at; default 8765, 0: any.")
def mcp(chosen: dict[str, Any], transport: str, host: str | None, port: int | None) -> int:
    """Serve tools for agents (MCP).

    Needs pip install 'rarr[mcp]'. The tools are revise_text, verify_claim, cite_text and find_evidence. They
    search the sources that are named here, and the passages that a caller gives; a caller names no file and
    no address. A client starts the command itself. With --transport http the server listens at
    http://127.0.0.1:8765/mcp; on other addresses, callers need the token of RARR_MCP_TOKEN.

    \b
    Examples:
      rarr mcp --corpus notes/
      rarr mcp --corpus notes/ --transport http --port 8765
    """
    if transport == "stdio" and (host is not None or port is not None):
        raise InputError("--host and --port belong to HTTP: add --transport http, or leave them out")
    import logging

    # Otherwise the library colours its log, and shows what callers send.
    logging.basicConfig(level=logging.WARNING, format="rarr: %(message)s", stream=sys.stderr)
    from rarr.integrations.mcp import ToolServer
    from rarr.settings import Settings

    settings = Settings(**chosen)
    with waiting() as shown:
        server = ToolServer(settings, on_index=shown.indexed)
    import anyio

    anyio.run(_serve_tools, server, settings, transport, host or "127.0.0.1", 8765 if port is None else port)
    return 0


async def _serve_tools(
    server: "ToolServer", settings: "Settings", transport: str, host: str, port: int
) -> None:
    token = None if settings.mcp_token is None else settings.mcp_token.get_secret_value()
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
