"""The commands that serve: `rarr serve` (HTTP service and proxy) and `rarr mcp` (tools for agents)."""

import sys
from contextlib import aclosing
from typing import TYPE_CHECKING

import click

from rarr.cli import options
from rarr.cli.streams import complain, show_progress
from rarr.errors import SetupError

if TYPE_CHECKING:
    from rarr.settings import Settings


@click.command()
@options.setting_options(*options.SERVE_SETTINGS, *options.SOURCE_SETTINGS, *options.MODEL_SETTINGS)
def serve(settings: "Settings") -> int:
    """Serve rarr over HTTP, and as a proxy of a model.

    Needs pip install 'rarr[serve]'. Clients of OpenAI use the printed address as their base URL: answers come
    back revised, everything else under /v1 is passed on. The object "rarr" in a request may set mode,
    sources, search and deadline_s. The calls of rarr: /v1/revise, /v1/postprocess, /v1/verify; / is a page.
    On other addresses than this machine's own, callers need a token of RARR_SERVE_TOKEN.

    \b
    Examples:
      rarr serve --upstream https://api.openai.com/v1 --corpus notes/
    """
    import asyncio

    try:
        from rarr.serve.server import log_to_stderr, serve as serve_forever
    except ModuleNotFoundError as error:
        if error.name not in ("starlette", "uvicorn"):
            raise
        needs = f"rarr serve needs a package ({error.name} is missing)"
        raise SetupError(f'{needs}: pip install "rarr[serve]"') from None

    log_to_stderr()
    asyncio.run(serve_forever(settings, lambda address: complain(f"listening at {address}", 0)))
    return 0


@click.command()
@options.setting_options(*options.RUN_SETTINGS)
def mcp(settings: "Settings") -> int:
    """Serve tools for agents (MCP) on standard input and output.

    Needs pip install 'rarr[mcp]'. The tools revise_text, verify_claim and cite_text search the sources named
    here, and passages that a caller gives. A caller cannot name files or addresses.

    \b
    Examples:
      rarr mcp --corpus notes/
    """
    import logging

    # Without this, the library would colour its log, and log texts of callers.
    logging.basicConfig(level=logging.WARNING, format="rarr: %(message)s", stream=sys.stderr)
    from rarr.integrations.mcp import ToolServer

    with show_progress() as line:
        server = ToolServer(settings, on_index=line.show_files)
    import anyio

    async def serve_tools() -> None:
        async with aclosing(server):
            await server.run_stdio_async()

    anyio.run(serve_tools)
    return 0
