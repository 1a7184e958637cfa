"""Offers `rarr` to agents as tools of the Model Context Protocol. Needs the extra mcp."""

from rarr.errors import SetupError

try:
    from rarr.integrations.mcp.server import ToolServer as ToolServer
except ModuleNotFoundError as error:
    if (error.name or "").partition(".")[0] not in ("mcp", "mcp_types"):
        raise
    raise SetupError('the tools for agents need a package: pip install "rarr[mcp]"') from None
