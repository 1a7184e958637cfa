"""Works on streamed answers: text goes out by paragraphs, everything else as it came and in order."""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from contextlib import aclosing, suppress
from copy import deepcopy
from typing import Any

from rarr.serve.bodies import Json, Refusal, as_json, json_object
from rarr.serve.protocols import Part, Protocol
from rarr.serve.text_work import Place, TextWork, Worked, WorkedText

LONGEST_EVENT = 8_000_000
"""Bytes of one event, at most."""
AHEAD = 256
"""Events that are read ahead of those that were sent, at most."""
_KEEP_ALIVE = b": keep-alive\n\n"
BROKEN_OFF = Refusal(502, "upstream_broke_off", "the server behind broke off its answer: ask again")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


class Paragraphs:
    """Takes the pieces of a text, and gives its paragraphs, which together are the text.

    A blank line ends a paragraph, outside of code. A heading stays with the paragraph below it. `whole`: the
    text is one paragraph.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._whole = whole
        self._held = self._line = ""
        self._is_complete = self._in_code = self._has_words = False

    def add(self, text: str) -> list[str]:
        """Adds a piece, and returns the paragraphs that are complete now."""
        self._line += text
        complete: list[str] = []
        while not self._whole and "\n" in self._line:
            line, _, self._line = self._line.partition("\n")
            complete += self._begun(line)
            self._see(line)
            self._held += f"{line}\n"
        return complete + self._begun(self._line)

    def rest(self) -> str:
        """Returns the last paragraph, which may be empty."""
        held = self._held + self._line
        Paragraphs.__init__(self, whole=self._whole)
        return held

    def _begun(self, line: str) -> list[str]:
        """Returns the paragraph that is held if the line begins another one."""
        if not (self._is_complete and line.strip()):
            return []
        held, self._held, self._is_complete, self._has_words = self._held, "", False, False
        return [held]

    def _see(self, line: str) -> None:
        if line.strip():
            self._in_code ^= bool(_FENCE.match(line))
            self._has_words = self._has_words or self._in_code or not line.lstrip().startswith("#")
        elif self._has_words and not self._in_code:
            self._is_complete = True


class Stream:
    """One streamed answer. Its paragraphs are worked on at the same time, and sent in order."""

    def __init__(self, protocol: Protocol, work: TextWork, keep_alive_s: float) -> None:
        self._protocol, self._work, self._keep_alive_s = protocol, work, keep_alive_s
        self._open = Paragraphs(whole=work.needs_whole)
        self._place: Place = (0, 0)  # of the text that is open, and the last event about it
        self._template: Json = {}
        self._before: defaultdict[Place, str] = defaultdict(str)
        self._worked: Worked = defaultdict(WorkedText)
        self._ended: set[Place] = set()
        self._number = 0
        # What to send, in order. Each member waits for the work that it needs.
        self._queue: asyncio.Queue[Callable[[], Awaitable[bytes]] | None] = asyncio.Queue(AHEAD)
        self._running: set[asyncio.Task[Any]] = set()

    async def pieces(self, body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        """Reads the events in `body`, and yields in order what to send to the client.

        A comment comes if there is nothing to send for a while, which keeps the connection open. Raises
        `Refusal` for a stream without its end, after all of its text: an end would say that the answer
        is complete.
        """
        async with aclosing(self._pieces(body)) as pieces:
            coming = asyncio.ensure_future(anext(pieces, None))
            try:
                while True:
                    if not (await asyncio.wait({coming}, timeout=self._keep_alive_s))[0]:
                        yield _KEEP_ALIVE
                    elif (piece := coming.result()) is None:
                        return
                    else:
                        yield piece
                        coming = asyncio.ensure_future(anext(pieces, None))
            finally:
                coming.cancel()
                with suppress(asyncio.CancelledError, Exception):
                    await coming

    async def _pieces(self, body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        reading = asyncio.create_task(self._read(body))
        try:
            while (made := await self._queue.get()) is not None:
                yield await made()
            await reading
        finally:
            for task in (reading, *self._running):
                task.cancel()
            with suppress(asyncio.CancelledError, Exception):
                await reading

    async def _read(self, body: AsyncIterator[bytes]) -> None:
        """Fills the queue. Raises `Refusal` for a stream that is not whole, once the queue has its text."""
        broken: Exception | None = None
        try:
            done = await self._read_events(body)
            if not self._is_whole(done=done):
                raise BROKEN_OFF
        except Exception as error:
            broken = error
        await self._close()
        await self._queue.put(None)
        if broken:
            raise broken

    async def _read_events(self, body: AsyncIterator[bytes]) -> bool:
        """Reads to the end, and tells whether the mark of the end came."""
        async for raw in events(body):
            value = _value(raw)
            is_done = value.strip() == b"[DONE]"
            if is_done:
                await self._close()
            if not is_done and (data := json_object(value)) is not None:
                for part in self._protocol.parts(data, held=self._work.changes_text):
                    await self._part(part, data)
            elif not is_done or self._is_whole(done=True):
                await self._queue.put(lambda raw=raw: _at_once(raw))  # type: ignore[misc]
            if is_done:
                return True
        return False

    def _is_whole(self, *, done: bool) -> bool:
        """Tells whether the stream came to its end, and each text that began too."""
        if self._protocol.ends_all:
            return bool(self._ended)
        return bool(done or self._ended) and not self._before.keys() - self._ended

    async def _part(self, part: Part, data: Json) -> None:
        if part.text:
            if part.place != self._place:
                await self._close()
            self._place, self._template = part.place, data
        if not part.closes:
            await self._event(part)
        for block in self._open.add(part.text):
            await self._block(block)
        if part.closes:
            await self._close()
            if part.ends:
                self._ended.add(part.place)
            await self._event(part)

    async def _close(self) -> None:
        """Works on the rest of the open text."""
        if block := self._open.rest():
            await self._block(block)

    async def _block(self, block: str) -> None:
        """Begins to work on a block, and puts it into the queue."""
        place, template = self._place, self._template
        work = asyncio.create_task(self._work.result(block, self._before[place]))
        self._before[place] += block
        self._running.add(work)
        work.add_done_callback(self._running.discard)

        async def made() -> bytes:
            result = await work
            self._worked[place].add(result)
            changes = self._work.changes_text
            return self._written(self._protocol.block(template, place, result.text)) if changes else b""

        await self._queue.put(made)

    async def _event(self, part: Part) -> None:
        """Puts an event into the queue. In it, the texts that were sent replace the texts that came."""

        async def made() -> bytes:
            data = deepcopy(part.rest) or {}
            self._protocol.fill(data, part, self._worked)
            return self._written(data)

        if part.rest is not None:
            await self._queue.put(made)

    def _written(self, data: Json) -> bytes:
        """Writes an event. Those that are numbered are numbered anew, because their count changes."""
        if "sequence_number" in data:
            data["sequence_number"], self._number = self._number, self._number + 1
        name = f"event: {data['type']}\n".encode() if isinstance(data.get("type"), str) else b""
        return b"%bdata: %b\n\n" % (name, as_json(data))


async def _at_once(raw: bytes) -> bytes:
    return raw


async def events(body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yields the events of a body. What follows the last blank line is no event, and is left out."""
    held = b""
    async for piece in body:
        held = (held + piece).replace(b"\r\n", b"\n")
        *whole, held = held.split(b"\n\n")
        for raw in whole:
            yield raw + b"\n\n"
        if len(held) > LONGEST_EVENT:
            raise BROKEN_OFF


def _value(raw: bytes) -> bytes:
    """Returns the data of an event."""
    lines = [line.partition(b":") for line in raw.split(b"\n")]
    return b"\n".join(data.removeprefix(b" ") for field, _, data in lines if field == b"data")
