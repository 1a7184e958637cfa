"""Reads a completion that a server with OpenAI's protocol streams as server-sent events.

Every event of these servers is one line, `data: ` and a JSON object; the last one is `data: [DONE]`.
"""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Sequence
from contextlib import aclosing, suppress
from typing import Any

import httpx2

from rarr.tools.guard.bounded_http_client import LONGEST
from rarr.tools.models.answer_waits import token_arrived
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.client_failures import failure_of_status, redacted
from rarr.tools.models.streamed_answer import StreamedAnswer

LONGEST_STREAM = 100_000_000
"""Bytes of all events of an answer: each token comes with some hundred bytes that are not held."""

_DONE = b"[DONE]"
_END_S = 0.1  # seconds after the last event in which the connection may end its answer, to be used again


async def read_events(
    response: httpx2.Response, answer: StreamedAnswer, name: str, secrets: Sequence[str]
) -> None:
    """Reads the events of `response` into `answer`, until they end or the rest of them is of no use.

    Raises `CallFailure` if they break off, report an error, or are no parts of a completion of the model
    `name`.
    """
    async with aclosing(_lines(response, name)) as lines:
        async for line in lines:
            field, _, value = line.partition(b":")
            if field != b"data":  # a comment that keeps the connection open, or the name of an event
                continue
            if value.strip() == _DONE:
                await _drained(lines)
                return
            if answer.add(_event(value, name, secrets)):
                token_arrived()
            if answer.is_decided:
                return
    if not answer.is_whole:
        raise CallFailure("connection", f"{name} broke off in the middle of its answer")


def _event(value: bytes, name: str, secrets: Sequence[str]) -> Any:
    """Parses an event. Raises `CallFailure` if it is no JSON, or an error in place of the next part."""
    try:
        event = json.loads(value)
    except ValueError:
        excerpt = redacted(value.decode(errors="replace"), secrets)[:200]
        raise CallFailure("server", f"{name} did not stream a completion: {excerpt}") from None
    error = event.get("error") or event.get("object") == "error" if isinstance(event, dict) else None
    if error:  # the status of the answer was sent before
        details = error if isinstance(error, dict) else event
        code = details.get("code")
        status = code if isinstance(code, int) and 400 <= code < 600 else 500
        body = json.dumps({"error": error} if error is not True else {"error": event})
        raise failure_of_status(status, {}, body, name, secrets)
    return event


async def _drained(lines: AsyncIterator[bytes]) -> None:
    """Reads the end of the answer, without which the connection would be closed."""
    with suppress(TimeoutError, httpx2.HTTPError, CallFailure):  # the answer is complete already
        async with asyncio.timeout(_END_S):
            async for _ in lines:
                pass


async def _lines(response: httpx2.Response, name: str) -> AsyncGenerator[bytes, None]:
    """Yields the lines of the body that are not empty. Raises `CallFailure` if a line is too long."""
    held: list[bytes] = []
    length = 0
    async with aclosing(response.aiter_bytes()) as body:
        async for piece in body:
            *ended, rest = piece.split(b"\n")
            if ended:
                ended[0] = b"".join([*held, ended[0]])
                held, length = [], 0
            for line in ended:
                if line := line.rstrip(b"\r"):
                    yield line
            held.append(rest)
            length += len(rest)
            if length > LONGEST:
                most = f"{LONGEST / 1_000_000:g} MB"
                raise CallFailure("refused", f"{name} answered with a line of more than {most}")
    if line := b"".join(held).rstrip(b"\r"):
        yield line
