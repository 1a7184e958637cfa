"""Works on streamed answers: text goes out by paragraphs, everything else as it came and in order."""

import asyncio
import re
from collections import defaultdict
from collections.abc import AsyncGenerator, AsyncIterator, Callable
from contextlib import suppress
from copy import deepcopy
from typing import Any, NamedTuple

import httpx2

from rarr.records.postprocessing import Postprocessed
from rarr.serve.bodies import Json, as_json, json_object
from rarr.serve.protocols import Part, Place, Protocol, SentText
from rarr.serve.text_work import TextWork

LONGEST_EVENT = 8_000_000
"""Bytes of one event, at most."""
AHEAD = 256
"""Events that are read ahead of those that were sent, at most."""
KEEP_ALIVE = b": keep-alive\n\n"
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


class BrokenOffError(Exception):
    """The streamed answer of the server behind this one ended before it was complete."""


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


class _Item(NamedTuple):
    """What to send when its turn has come, and the work that it waits for."""

    made: Callable[[], bytes]
    work: "asyncio.Task[Postprocessed] | None" = None


class Stream:
    """One streamed answer. Its paragraphs are worked on at the same time, and sent in order."""

    def __init__(self, protocol: Protocol, work: TextWork, keep_alive_s: float) -> None:
        self._protocol, self._work, self._keep_alive_s = protocol, work, keep_alive_s
        self._open = Paragraphs(whole=work.needs_whole)
        self._place: Place = (0, 0)  # of the text that is open, and the last event about it
        self._template: Json = {}
        self._before: defaultdict[Place, str] = defaultdict(str)
        self._sent: defaultdict[Place, SentText] = defaultdict(SentText)
        self._ended: set[Place] = set()
        self._number = 0
        self._items: asyncio.Queue[_Item | Exception | None] = asyncio.Queue(AHEAD)
        self._running: set[asyncio.Task[Any]] = set()

    async def pieces(self, body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        """Reads the events in `body`, and yields in order what to send to the client.

        A comment comes if there is nothing to send for a while, which keeps the connection open. Raises
        `BrokenOffError` for a stream without its end, after all of its text: an end would say that the answer
        is complete.
        """
        reading = asyncio.create_task(self._read(body))
        try:
            while True:
                coming = asyncio.ensure_future(self._items.get())
                async for comment in self._until(coming):
                    yield comment
                item = coming.result()
                if item is None:
                    return
                if isinstance(item, Exception):
                    raise item
                if item.work is not None:
                    async for comment in self._until(item.work):
                        yield comment
                yield item.made()
        finally:
            for task in (reading, *self._running):
                task.cancel()
            with suppress(asyncio.CancelledError):
                await reading

    async def _until(self, task: "asyncio.Future[Any]") -> AsyncGenerator[bytes, None]:
        """Yields comments until the task has ended."""
        try:
            while not (await asyncio.wait({task}, timeout=self._keep_alive_s))[0]:
                yield KEEP_ALIVE
        finally:
            task.cancel()  # without effect on one that has ended

    async def _read(self, body: AsyncIterator[bytes]) -> None:
        """Puts all items into the queue, and at last None or an error, which is raised in its turn."""
        end: Exception | None = None
        try:
            done = await self._read_events(body)
            if not self._is_whole(done=done):
                raise BrokenOffError
        except httpx2.HTTPError:
            end = BrokenOffError()
        except Exception as error:
            end = error
        await self._close()
        await self._items.put(end)

    async def _read_events(self, body: AsyncIterator[bytes]) -> bool:
        """Reads to the end, and tells whether the mark of the end came."""
        async for raw in events(body):
            value = _value(raw)
            if value.strip() == b"[DONE]":
                await self._close()
                if self._is_whole(done=True):
                    await self._items.put(_Item(lambda raw=raw: raw))  # type: ignore[misc]
                return True
            if (data := json_object(value)) is None:
                await self._items.put(_Item(lambda raw=raw: raw))  # type: ignore[misc]
                continue
            for part in self._protocol.parts(data, held=self._work.changes_text):
                await self._part(part, data)
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

        def made() -> bytes:
            self._sent[place].add(work.result())
            if not self._work.changes_text:
                return b""
            return self._written(self._protocol.block(template, place, work.result().text))

        await self._items.put(_Item(made, work))

    async def _event(self, part: Part) -> None:
        """Puts an event into the queue. In it, the texts that were sent replace the texts that came."""

        def made() -> bytes:
            data = deepcopy(part.rest)
            assert data is not None
            self._protocol.fill(data, part, self._sent)
            return self._written(data)

        if part.rest is not None:
            await self._items.put(_Item(made))

    def _written(self, data: Json) -> bytes:
        """Writes an event. Those that are numbered are numbered anew, because their count changes."""
        if "sequence_number" in data:
            data["sequence_number"], self._number = self._number, self._number + 1
        name = f"event: {data['type']}\n".encode() if isinstance(data.get("type"), str) else b""
        return b"%bdata: %b\n\n" % (name, as_json(data))


async def events(body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yields the events of a body. What follows the last blank line is no event, and is left out."""
    held = b""
    async for piece in body:
        held = (held + piece).replace(b"\r\n", b"\n")
        *whole, held = held.split(b"\n\n")
        for raw in whole:
            yield raw + b"\n\n"
        if len(held) > LONGEST_EVENT:
            raise BrokenOffError


def _value(raw: bytes) -> bytes:
    """Returns the data of an event."""
    lines = [line.partition(b":") for line in raw.split(b"\n")]
    return b"\n".join(data.removeprefix(b" ") for field, _, data in lines if field == b"data")
