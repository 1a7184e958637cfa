"""Works on streamed answers: text goes out by paragraphs, everything else as it came and in order."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, AnyStr

from rarr.agent.inputs import CONTEXT_CHARS
from rarr.records.postprocessing import Postprocessed
from rarr.serve.chat import TextWork, annotations, objects, shown
from rarr.serve.requests import Json, Refusal, as_json, json_object

LONGEST_EVENT = 8_000_000
"""Bytes of one event, at most."""
AHEAD = 256
"""Events that are read ahead of those that were sent, at most."""
SHORTEST_KEY = 8
"""Characters of the shortest key that is removed from answers: a shorter one may be an ordinary word."""
_SLASHES, _PLUSES = (b"/", b"\\/"), (b"+", b"\\u002B", b"\\u002b")  # as encoders of JSON write them
_PIECE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def broken_off() -> Refusal:
    """Makes the error of an answer without its end."""
    return Refusal(502, "upstream_broke_off", "the server behind broke off its answer: ask again")


def forms(key: bytes) -> set[bytes]:
    """Returns the key as it is, and as JSON encoders write it that escape / or +."""
    return {key.replace(b"/", slash).replace(b"+", plus) for slash in _SLASHES for plus in _PLUSES}


def masked(data: bytes, key: bytes) -> bytes:
    """Replaces the key by as many `*`, so that the length of the answer stays true."""
    for form in forms(key) if key else ():
        data = data.replace(form, b"*" * len(form))
    return data


def begun_by(text: AnyStr, key: AnyStr) -> int:
    """Returns how much of the key the end of a text is."""
    return next((n for n in range(len(key) - 1, 0, -1) if text.endswith(key[:n])), 0)


class Paragraphs:
    """Takes the pieces of a text, and gives its paragraphs, which together are the text.

    A blank line ends a paragraph, outside of code. A heading stays with the paragraph below it. `whole`: the
    text is one paragraph.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._whole, self._held, self._line = whole, list[str](), list[str]()
        self._is_complete = self._in_code = self._has_words = False

    def add(self, text: str) -> list[str]:
        """Adds a piece, and returns the paragraphs that are complete now."""
        complete = list[str]()
        for piece in [text] if self._whole else _PIECE.findall(text):
            if self._is_complete and piece.strip():
                complete.append("".join(self._held))
                self._held, self._is_complete, self._has_words = [], False, False
            self._line.append(piece)
            if piece.endswith("\n") and not self._whole:
                line, self._line = "".join(self._line), []
                self._see(line)
                self._held.append(line)
        return complete

    def rest(self) -> str:
        """Returns the last paragraph, which may be empty."""
        return "".join([*self._held, *self._line])

    def _see(self, line: str) -> None:
        if line.strip():
            self._in_code ^= bool(_FENCE.match(line))
            self._has_words = self._has_words or self._in_code or not line.lstrip().startswith("#")
        elif self._has_words and not self._in_code:
            self._is_complete = True


class CutKey:
    """Hides a key that comes in several events: all of it but its first characters, which went out before."""

    def __init__(self, key: str) -> None:
        self._key, self._come = key, dict[tuple[str | int, ...], int]()

    def hidden(self, value: Any, *place: str | int) -> Any:
        """Returns the value of an event, in each of whose texts the key goes on where the last one ended."""
        if isinstance(value, dict):
            return {name: self.hidden(it, *place, name) for name, it in value.items()}
        if isinstance(value, list):
            return [self.hidden(it, *place, number) for number, it in enumerate(value)]
        return self._text(value, place) if self._key and isinstance(value, str) else value

    def _text(self, text: str, place: tuple[str | int, ...]) -> str:
        key, before = self._key, self._come.get(place, 0)
        whole = (key[:before] + text).replace(key, key[:SHORTEST_KEY].ljust(len(key), "*"))
        self._come[place] = come = begun_by(whole, key)
        at = len(whole) - come
        return (whole[:at] + key[: min(come, SHORTEST_KEY)].ljust(come, "*"))[before:]


class Stream:
    """One streamed answer without `key`. Its paragraphs are worked on at the same time, and sent in order."""

    def __init__(self, work: TextWork, key: str) -> None:
        self._work, self._open = work, Paragraphs(whole=work.needs_whole)
        self._key = CutKey(key)
        self._template: Json = {}  # the last event that brought a piece of the text
        self._before, self._results, self._has_ended = "", list[Postprocessed](), False
        # What to send, in order. Each member waits for the work that it needs.
        self._queue: asyncio.Queue[Callable[[], Awaitable[bytes]] | bytes | None] = asyncio.Queue(AHEAD)
        self._running: set[asyncio.Task[Any]] = set()

    async def pieces(self, body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        """Reads the events in `body`, and yields in order what to send to the client.

        Raises `Refusal` for a stream without its end, after all of its text: an end would say that the answer
        is complete.
        """
        reading = asyncio.create_task(self._read(body))
        try:
            while (made := await self._queue.get()) is not None:
                yield await made() if callable(made) else made
            await reading
        finally:
            for task in (reading, *self._running):
                task.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _read(self, body: AsyncIterator[bytes]) -> None:
        """Fills the queue. Raises `Refusal` for a stream that is not whole, once the queue has its text."""
        broken: Exception | None = None
        try:
            await self._read_events(body)
        except Exception as error:
            broken = error
        await self._close()
        await self._queue.put(None)
        if broken:
            raise broken

    async def _read_events(self, body: AsyncIterator[bytes]) -> None:
        async for raw in _events(body):
            lines = [line.partition(b":") for line in raw.split(b"\n")]
            value = b"\n".join(data.removeprefix(b" ") for field, _, data in lines if field == b"data")
            if is_done := value.strip() == b"[DONE]":
                await self._close()
                if self._before and not self._has_ended:
                    raise broken_off()
            data = None if is_done else json_object(value)
            if data is None:
                await self._queue.put(raw)
            else:
                await self._chunk(raw, data)
            if is_done:
                return
        if not self._has_ended:
            raise broken_off()

    async def _chunk(self, raw: bytes, data: Json) -> None:
        """Takes the text out of an event, if it may change, and puts what is left into the queue.

        The text so far goes out before an event that ends it or has none.
        """
        choices = objects(data.get("choices"))
        choice = choices[0] if len(choices) == 1 else {}
        delta = given if isinstance(given := choice.get("delta"), dict) else {}
        hidden = self._key.hidden(delta)
        text = given if isinstance(given := hidden.get("content"), str) else ""
        ends = choice.get("finish_reason") is not None
        left: bytes | None = raw
        if text and self._work.changes_text:
            sent = {"content", *(("role",) if self._template else ())}  # some repeat it with every token
            hidden = {key: value for key, value in hidden.items() if key not in sent}
            self._template = data
        if hidden != delta:
            choice = {**choice, "delta": hidden}
            data = {**data, "choices": [choice]}
            left = _written(data) if hidden or ends or data.get("usage") else None
        closes = ends or "tool_calls" in delta or not choice
        if left and not closes:
            await self._queue.put(left)
        for block in self._open.add(text):
            await self._block(block)
        if closes:
            await self._close()
            await (self._end(data, choice) if ends and left else self._queue.put(left or b""))

    async def _close(self) -> None:
        block, self._open = self._open.rest(), Paragraphs(whole=self._work.needs_whole)
        if block:
            await self._block(block)

    async def _block(self, block: str) -> None:
        template = self._template
        work = asyncio.create_task(self._work.result(block, self._before))
        self._before = f"{self._before}{block}"[-CONTEXT_CHARS:]
        self._running.add(work)
        work.add_done_callback(self._running.discard)

        async def made() -> bytes:
            self._results.append(result := await work)
            if not self._work.changes_text:
                return b""
            [choice] = template["choices"]
            choice = {"index": choice.get("index", 0), "delta": {"content": result.text}}
            choice["finish_reason"] = None
            usage = {"usage": None} if "usage" in template else {}
            return _written({**template, **usage, "choices": [choice]})

        await self._queue.put(made)

    async def _end(self, data: Json, choice: Json) -> None:
        self._has_ended = True

        async def made() -> bytes:
            if not self._results:
                return _written(data)
            citations = annotations(self._results)
            delta = {**(choice.get("delta") or {}), **({"annotations": citations} if citations else {})}
            done = {"results": shown(self._results, choice.get("index", 0))}
            return _written({**data, "choices": [{**choice, "delta": delta}], "rarr": done})

        await self._queue.put(made)


def _written(data: Json) -> bytes:
    return b"data: %b\n\n" % as_json(data)


async def _events(body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yields the events of a body. What follows the last blank line is no event, and is left out."""
    held = bytearray()
    async for piece in body:
        held[-3:] = (bytes(held[-3:]) + piece).replace(b"\r\n", b"\n")  # what came is not copied again
        if b"\n\n" in held[-len(piece) - 3 :]:
            *whole, rest = bytes(held).split(b"\n\n")
            held = bytearray(rest)
            for raw in whole:
                yield raw + b"\n\n"
        if len(held) > LONGEST_EVENT:
            raise broken_off()
