"""Calls tools and reads their results."""

from typing import Any

from mcp import Client
from mcp.types import CallToolResult, TextContent

WRONG, RIGHT = "The Hoover Dam is 212 metres high.", "The Hoover Dam is 221 metres high."


def text_of(result: CallToolResult) -> str:
    (content,) = result.content
    assert isinstance(content, TextContent)
    return content.text


async def records(client: Client, tool: str, **arguments: Any) -> dict[str, Any]:
    """The structured result of a call that must succeed."""
    result = await client.call_tool(tool, arguments)
    assert not result.is_error, text_of(result)
    assert isinstance(result.structured_content, dict)
    return result.structured_content


async def refusal(client: Client, tool: str, **arguments: Any) -> str:
    """The line of a call that must fail."""
    result = await client.call_tool(tool, arguments)
    line = text_of(result)
    assert result.is_error, line
    assert line.count("\n") == 0
    return line
