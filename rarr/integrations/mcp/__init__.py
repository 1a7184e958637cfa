"""Offers `rarr` to agents as tools of the Model Context Protocol. Needs the extra mcp."""

from rarr.errors import SetupError

try:
    from rarr.integrations.mcp.tool_server import ToolServer as ToolServer
except ModuleNotFoundError as error:
    if error.name not in ("mcp", "mcp_types", "starlette", "uvicorn"):
        raise
    raise SetupError('the tools for agents need a package: pip install "rarr[mcp]"') from None
