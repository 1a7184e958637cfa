"""Reads and writes server-sent events."""

import json
from collections.abc import AsyncIterator
from dataclasses import dataclass
from typing import Any

LONGEST = 8_000_000
"""Bytes of one event, at most."""
KEEP_ALIVE = b": keep-alive\n\n"
DONE = b"[DONE]"


class EventTooLongError(Exception):
    """An event is longer than the limit."""


@dataclass(frozen=True)
class Event:
    """One event. `raw` is how it came, with its blank line; `data` its JSON object, or None."""

    raw: bytes
    data: dict[str, Any] | None
    is_done: bool = False


async def events(body: AsyncIterator[bytes]) -> AsyncIterator[Event]:
    """Yields the events of a body. What follows the last blank line is no event, and is left out."""
    held = b""
    async for data in body:
        held = (held + data).replace(b"\r\n", b"\n")
        *whole, held = held.split(b"\n\n")
        for raw in whole:
            yield _event(raw)
        if len(held) > LONGEST:
            raise EventTooLongError


def _event(raw: bytes) -> Event:
    lines = [line.partition(b":") for line in raw.split(b"\n")]
    value = b"\n".join(data.removeprefix(b" ") for field, _, data in lines if field == b"data")
    if value.strip() == DONE:
        return Event(raw + b"\n\n", None, is_done=True)
    try:
        data = json.loads(value)
    except (ValueError, RecursionError):
        data = None
    return Event(raw + b"\n\n", data if isinstance(data, dict) else None)


def written(data: Any, name: str = "") -> bytes:
    """Writes an event with this JSON value, and with a name if it has one."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode(errors="backslashreplace")
