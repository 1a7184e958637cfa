"""`rarr serve` serves over HTTP, also as a proxy; `rarr mcp` serves the same as tools for agents."""

import sys
from typing import TYPE_CHECKING, Any

import click

from rarr.cli import options
from rarr.cli.streams import complain, waiting
from rarr.errors import SetupError

if TYPE_CHECKING:
    from rarr.settings import Settings


@click.command()
@options.one("--upstream", "URL", "OpenAI-compatible server behind this one.")
@options.one(
    "--mode", "M", "What becomes of answers whose request does not say; default revise.",
    type=click.Choice(["revise", "cite", "check", "annotate", "off"]),
)  # fmt: skip
@options.one("--deadline", "S", "Seconds for an answer; then the original goes out.", type=float)
@options.one("--host", "H", "Address to listen at; default 127.0.0.1.")
@options.one("--port", "N", "Port to listen at; default 8100, 0: any.", type=click.IntRange(0, 65535))
@options.one("--workers", "N", "Processes; default one for each core.", type=options.COUNT)
@options.settings(*options.SOURCES, *options.MODELS, made=False)
def serve(upstream: str, deadline: float, chosen: dict[str, Any], **more: Any) -> int:
    """Serve rarr over HTTP, and as a proxy of a model.

    Needs pip install 'rarr[serve]'. Clients of OpenAI use the printed address as their base URL: answers come
    back revised, everything else under /v1 passes. The object "rarr" in a request may set mode, sources,
    search and deadline_s. Its own calls are /v1/revise, /v1/postprocess and /v1/verify.
    On other addresses than this machine's own, callers need a token of RARR_SERVE_TOKEN.

    \b
    Examples:
      rarr serve --upstream https://api.openai.com/v1 --corpus notes/
    """
    import asyncio

    from rarr.settings import Settings

    try:
        from rarr.serve.server import log_to_stderr, serve as serve_forever
    except ImportError as error:
        needs = f"rarr serve needs a package ({error.name} is missing)"
        raise SetupError(f'{needs}: pip install "rarr[serve]"') from None

    served = more | {"upstream_url": upstream, "deadline_s": deadline}
    settings = Settings(**chosen, **options.given(**{f"serve_{key}": each for key, each in served.items()}))
    log_to_stderr()
    asyncio.run(serve_forever(settings, lambda address: complain(f"listening at {address}", 0)))
    return 0


@click.command()
@options.settings(*options.RUN)
def mcp(settings: "Settings") -> int:
    """Serve tools for agents (MCP) on standard input and output.

    Needs pip install 'rarr[mcp]'. The tools revise_text, verify_claim and cite_text search the sources named
    here, and the passages that a caller gives, who names no file and no address.

    \b
    Examples:
      rarr mcp --corpus notes/
    """
    import logging

    # Otherwise the library colours its log, and shows what callers send.
    logging.basicConfig(level=logging.WARNING, format="rarr: %(message)s", stream=sys.stderr)
    from rarr.integrations.mcp import ToolServer

    with waiting() as shown:
        server = ToolServer(settings, on_index=shown.indexed)
    import anyio

    async def serve_tools() -> None:
        try:
            await server.run_stdio_async()
        finally:
            await server.aclose()

    anyio.run(serve_tools)
    return 0
