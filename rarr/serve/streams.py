"""Works on streamed answers: text goes out block by block, everything else as it came and in order."""

import asyncio
import json
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable, Iterable, Iterator
from contextlib import aclosing, suppress
from copy import deepcopy
from typing import Any, NamedTuple, TypeVar

from rarr.records.postprocessing import Postprocessed
from rarr.serve.answers import Place, Protocol, TextWork, annotations, shown
from rarr.serve.stream_blocks import StreamBlocks

Value = TypeVar("Value")
Json = dict[str, Any]
Item = bytes | Callable[[], Awaitable[bytes]]
"""Bytes, or what makes them when their turn has come: what was sent before is known then."""
Write = Callable[[bytes], Awaitable[None]]
LONGEST_EVENT = 8_000_000
"""Bytes of one event, at most."""
AHEAD = 256
"""Items that are read ahead of those that were sent, at most."""
KEEP_ALIVE = b": keep-alive\n\n"
_ENDS = ("response.completed", "response.incomplete", "response.failed", "error")


class BrokenOffError(Exception):
    """The streamed answer of the server behind this one ended before it was complete."""


class Event(NamedTuple):
    """A server-sent event. `raw` is how it came, with its blank line; `data` its JSON object, or None."""

    raw: bytes
    data: Json | None
    is_done: bool = False


async def events(body: AsyncIterator[bytes]) -> AsyncIterator[Event]:
    """Yields the events of a body. What follows the last blank line is no event, and is left out."""
    held = b""
    async for piece in body:
        held = (held + piece).replace(b"\r\n", b"\n")
        *whole, held = held.split(b"\n\n")
        for raw in whole:
            yield _event(raw)
        if len(held) > LONGEST_EVENT:
            raise BrokenOffError


def _event(raw: bytes) -> Event:
    lines = [line.partition(b":") for line in raw.split(b"\n")]
    value = b"\n".join(data.removeprefix(b" ") for field, _, data in lines if field == b"data")
    try:
        data = json.loads(value)
    except (ValueError, RecursionError):
        data = None
    is_done = value.strip() == b"[DONE]"
    return Event(raw + b"\n\n", data if isinstance(data, dict) and not is_done else None, is_done)


def written(data: Any, name: str = "") -> bytes:
    """Writes an event with this JSON value, and with a name if it has one."""
    head = f"event: {name}\n" if name else ""
    return f"{head}data: {json.dumps(data, ensure_ascii=False)}\n\n".encode(errors="backslashreplace")


async def send_in_order(items: AsyncGenerator[Item, None], write: Write, keep_alive_s: float) -> None:
    """Sends the items of a stream in order, each as soon as its bytes are made.

    A comment keeps the connection open if nothing was sent for `keep_alive_s` seconds. What `items` raises is
    raised after the items before it were sent.
    """
    waiting: asyncio.Queue[Item | Exception | None] = asyncio.Queue(AHEAD)

    async def read() -> None:
        try:
            async with aclosing(items):
                async for item in items:
                    await waiting.put(item)
            await waiting.put(None)
        except Exception as error:  # raised by the task that sends, in its turn
            await waiting.put(error)

    async def kept_alive(coming: Awaitable[Value]) -> Value:
        task = asyncio.ensure_future(coming)
        try:
            while not (await asyncio.wait({task}, timeout=keep_alive_s))[0]:
                await write(KEEP_ALIVE)
            return task.result()
        finally:
            task.cancel()

    reading = asyncio.create_task(read())
    try:
        while True:
            # Turns of the loop are long on a busy server, so it waits only if it must.
            item = await kept_alive(waiting.get()) if waiting.empty() else waiting.get_nowait()
            if item is None:
                return
            if isinstance(item, Exception):
                raise item
            await write(item if isinstance(item, bytes) else await kept_alive(item()))
    finally:
        reading.cancel()
        with suppress(asyncio.CancelledError):
            await reading


class StreamedText:
    """One text of a stream. Its blocks are worked on at the same time, and sent in order."""

    def __init__(self, work: TextWork) -> None:
        self._work, self._blocks = work, StreamBlocks(whole=work.needs_whole)
        self._before, self._running = "", set[asyncio.Task[Postprocessed]]()
        self.add, self.last = self._blocks.add, self._blocks.rest
        self.results: list[tuple[int, Postprocessed]] = []
        """The results that were sent, each with the place in the sent text where its own text begins."""

    @property
    def sent(self) -> str:
        """Returns all of the text that was sent."""
        return "".join(result.text for _, result in self.results)

    def item(self, block: str, render: Callable[[str], bytes]) -> Item:
        """Begins to work on a block. The item waits for it, and makes its bytes by `render`."""
        task = asyncio.create_task(self._work.result(block, self._before))
        self._before += block
        self._running.add(task)
        task.add_done_callback(self._running.discard)

        async def made() -> bytes:
            result = await task
            self.results.append((len(self.sent), result))
            return render(result.text) if self._work.changes_text else b""

        return made

    def shown(self, index: int) -> list[Json]:
        """Returns the facts about all blocks that were sent."""
        return [shown(result, index, offset) for offset, result in self.results]

    def annotations(self, protocol: Protocol) -> list[Json]:
        """Returns the annotations of all blocks that were sent, with places in the whole text."""
        return [
            one for offset, result in self.results for one in annotations(protocol, result.citations, offset)
        ]

    def cancel(self) -> None:
        """Stops working on blocks."""
        for task in self._running:
            task.cancel()


class AnswerStream:
    """A streamed answer with its texts, by their places."""

    def __init__(self, work: TextWork) -> None:
        self._work = work
        self._texts: dict[Place, StreamedText] = {}
        self._ended = False

    def cancel(self) -> None:
        """Stops working on texts."""
        for text in self._texts.values():
            text.cancel()

    def _text(self, place: Place) -> StreamedText:
        if place not in self._texts:
            self._texts[place] = StreamedText(self._work)
        return self._texts[place]

    def _rest(self, places: Iterable[Place]) -> Iterator[Item]:
        """Yields the last blocks of these texts."""
        for place in list(places):
            if block := self._text(place).last():
                yield self._block(place, block)

    def _block(self, place: Place, block: str) -> Item:
        raise NotImplementedError


class ChatStream(AnswerStream):
    """Works on one streamed chat completion. Each of its choices is a text of its own."""

    def __init__(self, work: TextWork) -> None:
        super().__init__(work)
        self._begun, self._finished = set[int](), set[int]()  # choices
        self._chunk: Json = {}  # the last one, in whose form texts go out

    async def items(self, body: AsyncIterator[bytes]) -> AsyncGenerator[Item, None]:
        """Reads the events in `body`, and yields in order what to send to the client.

        Raises `BrokenOffError` for a stream without its end, after all of its text: what follows the last
        choice without a finish reason would say that the answer is complete.
        """
        async for event in events(body):
            if event.is_done:
                for item in self._rest(self._texts):
                    yield item
                self._ended = True
                self._require_finished()
            if event.data is None or not isinstance(event.data.get("choices"), list):
                yield event.raw
                continue
            self._chunk = event.data
            async for item in self._items(event, event.data):
                yield item
        for item in self._rest(self._texts):
            yield item
        self._require_finished()

    async def _items(self, event: Event, data: Json) -> AsyncGenerator[Item, None]:
        rest, ending, acting = deepcopy(data), list[int](), list[int]()
        is_held = False
        for choice in (choice for choice in rest["choices"] if isinstance(choice, dict)):
            index, piece = _index(choice), _taken(choice, held=self._work.changes_text)
            self._begun.add(index)
            if piece:
                is_held = is_held or self._work.changes_text
                for block in await self._text((index, 0)).add(piece):
                    yield self._block((index, 0), block)
            if choice.get("finish_reason") is not None and index not in self._finished:
                ending.append(index)
            elif isinstance(delta := choice.get("delta"), dict) and delta.get("tool_calls"):
                acting.append(index)
        for item in self._rest((index, 0) for index in [*ending, *acting]):  # text before a call goes first
            yield item
        self._finished.update(ending)
        if ending:
            yield self._finish(rest, ending)
        elif not is_held:
            yield event.raw
        elif rest.get("usage") is not None or any(
            choice.get("delta") for choice in rest["choices"] if isinstance(choice, dict)
        ):
            yield written(rest)

    def _require_finished(self) -> None:
        if self._begun - self._finished or not (self._ended or self._finished):
            raise BrokenOffError

    def _block(self, place: Place, block: str) -> Item:
        data = self._chunk

        def render(text: str) -> bytes:
            choice = {"index": place[0], "delta": {"content": text}, "finish_reason": None}
            usage = {"usage": None} if "usage" in data else {}
            return written({**data, **usage, "choices": [choice]})

        return self._text(place).item(block, render)

    def _finish(self, rest: Json, ending: list[int]) -> Item:
        async def render() -> bytes:
            results = []
            for choice in rest["choices"]:
                text = self._text((_index(choice), 0))
                if _index(choice) in ending and text.results:
                    results += text.shown(_index(choice))
                    if made := text.annotations("chat"):
                        choice["delta"] = {**(choice.get("delta") or {}), "annotations": made}
            return written({**rest, "rarr": {"results": results}} if results else rest)

        return render


def _index(choice: Any) -> int:
    index = choice.get("index") if isinstance(choice, dict) else 0
    return index if isinstance(index, int) else 0


def _taken(choice: Json, *, held: bool) -> str:
    """Returns the text of a delta, and takes it out if it is `held` back."""
    delta = choice.get("delta")
    text = delta.get("content") if isinstance(delta, dict) else None
    if not isinstance(delta, dict) or not isinstance(text, str) or not text:
        return ""
    if held:
        del delta["content"]
    return text


class ResponseStream(AnswerStream):
    """Works on one streamed answer of the Responses API, whose last events repeat all of the text.

    Its events are numbered anew, because their count changes.
    """

    def __init__(self, work: TextWork) -> None:
        super().__init__(work)
        self._names: dict[Place, Json] = {}  # what the events of a text have in common
        self._number = 0

    async def items(self, body: AsyncIterator[bytes]) -> AsyncGenerator[Item, None]:
        """Reads the events in `body`, and yields in order what to send to the client.

        Raises `BrokenOffError` for a stream without its end, after all of its text.
        """
        async for event in events(body):
            if event.data is None:
                yield event.raw
                continue
            data, kind, place = event.data, str(event.data.get("type")), _place(event.data)
            self._ended = self._ended or kind in _ENDS
            if kind.startswith("response.output_text."):
                names = ("item_id", "output_index", "content_index")
                self._names[place] = {name: data[name] for name in names if name in data}
            if kind == "response.output_text.delta" and isinstance(data.get("delta"), str):
                if not self._work.changes_text:
                    yield self._event(data)
                for block in await self._text(place).add(data["delta"]):
                    yield self._block(place, block)
                continue
            is_done = kind == "response.output_text.done"
            for item in self._rest(self._texts if kind in _ENDS else [place] if is_done else ()):
                yield item
            yield self._event(data)
        for item in self._rest(self._texts):
            yield item
        if not self._ended:
            raise BrokenOffError

    def _block(self, place: Place, block: str) -> Item:
        def render(text: str) -> bytes:
            kind, names = "response.output_text.delta", self._names[place]
            return self._numbered({"type": kind, **names, "delta": text, "logprobs": []})

        return self._text(place).item(block, render)

    def _event(self, data: Json) -> Item:
        """Makes an item of an event. In it, the texts that were sent replace the texts that came."""

        async def made() -> bytes:
            return self._numbered(self._with_texts(deepcopy(data)))

        return made

    def _numbered(self, data: Json) -> bytes:
        data["sequence_number"] = self._number
        self._number += 1
        return written(data, str(data.get("type")))

    def _with_texts(self, data: Json) -> Json:
        kind, (output, content) = data.get("type"), _place(data)
        if kind == "response.output_text.done":
            text = self._texts.get((output, content))
            data["text"] = text.sent if text and text.results else data.get("text")
        elif kind == "response.content_part.done":
            self._fill(data.get("part"), (output, content))
        elif kind == "response.output_item.done":
            self._fill_item(data.get("item"), output)
        elif kind in _ENDS and isinstance(response := data.get("response"), dict):
            for number, item in enumerate(response.get("output") or ()):
                self._fill_item(item, number)
            results = [one for (index, _), text in self._texts.items() for one in text.shown(index)]
            if results:
                response["rarr"] = {"results": results}
        return data

    def _fill_item(self, item: Any, output: int) -> None:
        content = item.get("content") if isinstance(item, dict) else None
        for number, part in enumerate(content if isinstance(content, list) else ()):
            self._fill(part, (output, number))

    def _fill(self, part: Any, place: Place) -> None:
        text = self._texts.get(place)
        if text and isinstance(part, dict) and part.get("type") == "output_text":
            part["text"] = text.sent if text.results else part.get("text")
            part["annotations"] = [*(part.get("annotations") or ()), *text.annotations("responses")]


def _place(data: Json) -> Place:
    output, content = data.get("output_index"), data.get("content_index")
    return (output if isinstance(output, int) else 0, content if isinstance(content, int) else 0)
