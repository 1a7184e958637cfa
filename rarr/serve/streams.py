"""Postprocesses streamed answers paragraph by paragraph. Everything else passes unchanged and in order."""

import asyncio
import re
from collections.abc import AsyncGenerator, AsyncIterator, Awaitable, Callable
from typing import Any, AnyStr

from rarr.agent.inputs import CONTEXT_CHARS
from rarr.records.postprocessing import Postprocessed
from rarr.serve.chat import TextPostprocessor, annotations_and_entries, list_of_objects, why_skip_message
from rarr.serve.requests import Json, Refusal, json_bytes, json_object
from rarr.tools.models.answer_parsing import reasoning_end

LONGEST_EVENT = 8_000_000
"""The most bytes of one event."""
QUEUE_SIZE = 256  # events that are read before they can be sent
SHORTEST_KEY = 8
"""A key with fewer characters is not removed from answers, because it may be an ordinary word."""
_SLASH_FORMS, _PLUS_FORMS = (b"/", b"\\/"), (b"+", b"\\u002B", b"\\u002b")  # as encoders of JSON write them
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def broken_off_error() -> Refusal:
    """Makes the error for an answer of the upstream server that has no end."""
    return Refusal(502, "upstream_broke_off", "the server behind broke off its answer: ask again")


def key_forms(key: bytes) -> set[bytes]:
    """Returns the ways to write the key: plain, and as JSON encoders write it that escape / or +."""
    return {key.replace(b"/", slash).replace(b"+", plus) for slash in _SLASH_FORMS for plus in _PLUS_FORMS}


def mask_key(data: bytes, key: bytes) -> bytes:
    """Replaces the key by `*` signs. The length of the data does not change."""
    for form in key_forms(key) if key else ():
        data = data.replace(form, b"*" * len(form))
    return data


def key_overlap(text: AnyStr, key: AnyStr) -> int:
    """Returns the length of the longest start of the key (but not the whole key) at the end of the text."""
    return next((n for n in range(len(key) - 1, 0, -1) if text.endswith(key[:n])), 0)


class ParagraphSplitter:
    """Takes the pieces of a text, and returns its paragraphs. Joined, the paragraphs are the text.

    A blank line outside of code ends a paragraph. A heading belongs to the paragraph below it. With `whole`,
    the text is a single paragraph.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._whole, self._lines, self._line = whole, list[str](), list[str]()
        self._is_complete = self._in_code = self._has_words = False

    def add_text(self, text: str) -> list[str]:
        """Adds a piece of text. Returns the paragraphs that it completes."""
        complete = list[str]()
        for piece in [text] if self._whole else _LINE.findall(text):
            if self._is_complete and piece.strip():
                complete.append("".join(self._lines))
                self._lines, self._is_complete, self._has_words = [], False, False
            self._line.append(piece)
            if piece.endswith("\n") and not self._whole:
                line, self._line = "".join(self._line), []
                self._update_flags(line)
                self._lines.append(line)
        return complete

    def last_paragraph(self) -> str:
        """Returns the text after the last complete paragraph; may be empty."""
        return "".join([*self._lines, *self._line])

    def _update_flags(self, line: str) -> None:
        if line.strip():
            self._in_code ^= bool(_FENCE.match(line))
            self._has_words = self._has_words or self._in_code or not line.lstrip().startswith("#")
        elif self._has_words and not self._in_code:
            self._is_complete = True


class ReasoningSplitter:
    """Splits the reasoning of a model, which may go over several paragraphs, from the answer behind it."""

    def __init__(self) -> None:
        self._prefix, self._has_ended, self.length = "", False, 0

    def split(self, block: str) -> tuple[str, str]:
        """Returns the reasoning at the start of the next paragraph, and the rest of the paragraph."""
        if self._has_ended:
            return "", block
        end = reasoning_end(self._prefix + block)
        at = len(block) if end is None else end - len(self._prefix)
        self._prefix = "<think>\n" if end is None else ""
        self._has_ended = at < len(block)
        self.length += at
        return block[:at], block[at:]


class StreamKeyMask:
    """Masks a key that comes in pieces in several events, except its first characters (already sent)."""

    def __init__(self, key: str) -> None:
        self._key, self._key_lengths = key, dict[tuple[str | int, ...], int]()

    def masked_value(self, value: Any, *place: str | int) -> Any:
        """Masks the key in a value of an event. Each text continues the earlier text at its place."""
        if isinstance(value, dict):
            return {name: self.masked_value(it, *place, name) for name, it in value.items()}
        if isinstance(value, list):
            return [self.masked_value(it, *place, number) for number, it in enumerate(value)]
        return self._masked_text(value, place) if self._key and isinstance(value, str) else value

    def _masked_text(self, text: str, place: tuple[str | int, ...]) -> str:
        key, before = self._key, self._key_lengths.get(place, 0)
        whole = (key[:before] + text).replace(key, key[:SHORTEST_KEY].ljust(len(key), "*"))
        self._key_lengths[place] = come = key_overlap(whole, key)
        at = len(whole) - come
        return (whole[:at] + key[: min(come, SHORTEST_KEY)].ljust(come, "*"))[before:]


class AnswerStream:
    """A streamed answer. Its paragraphs are postprocessed at once, and sent in order, without `key`."""

    def __init__(self, processor: TextPostprocessor, key: str) -> None:
        self._processor, self._splitter = processor, ParagraphSplitter(whole=processor.needs_whole_text)
        self._key, self._reasoning = StreamKeyMask(key), ReasoningSplitter()
        self._template: Json = {}  # the last event that brought a piece of the text
        self._text_before, self._results, self._has_ended = "", list[Postprocessed](), False
        self._choice_indexes = set[str]()
        self._skip_reason = ""  # why the rest of the stream is not postprocessed
        # Bytes to send, or functions that wait for the bytes, in order. None is the end.
        self._queue: asyncio.Queue[Callable[[], Awaitable[bytes]] | bytes | None] = asyncio.Queue(QUEUE_SIZE)
        self._running: set[asyncio.Task[Any]] = set()

    async def output_pieces(self, body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        """Yields what to send for the events in `body`. Raises `Refusal` at last if the answer has no end."""
        reading = asyncio.create_task(self._fill_queue(body))
        try:
            while (event_to_send := await self._queue.get()) is not None:
                yield await event_to_send() if callable(event_to_send) else event_to_send
            if not self._results:
                self._processor.call.log["outcome"] = f"passed: {self._skip_reason or 'no text'}"
            elif self._skip_reason:
                self._processor.call.log["passed"] = self._skip_reason
            await reading
        finally:
            for task in (reading, *self._running):
                task.cancel()
            await asyncio.gather(reading, return_exceptions=True)

    async def _fill_queue(self, body: AsyncIterator[bytes]) -> None:
        """Fills the queue with the whole text. Then raises `Refusal` if the stream has no end."""
        broken: Exception | None = None
        try:
            await self._queue_events(body)
        except Exception as error:
            broken = error
        await self._end_paragraph()
        await self._queue.put(None)
        if broken:
            raise broken

    async def _queue_events(self, body: AsyncIterator[bytes]) -> None:
        async for raw in _events(body):
            lines = [line.partition(b":") for line in raw.split(b"\n")]
            value = b"\n".join(data.removeprefix(b" ") for field, _, data in lines if field == b"data")
            if (data := json_object(value)) is not None:
                await self._queue_chunk(raw, data)
                continue
            if is_done := value.strip() == b"[DONE]":
                await self._end_paragraph()
                if self._text_before and not self._has_ended:  # some servers give no finish_reason
                    await self._queue_end(b"", self._template, self._template["choices"][0] | {"delta": {}})
            await self._queue.put(raw)
            if is_done:
                return
        if not self._has_ended:
            raise broken_off_error()

    async def _queue_chunk(self, raw: bytes, data: Json) -> None:
        """Takes out the text of an event, if it may change, and queues the rest, an end behind all text."""
        choices = list_of_objects(data.get("choices"))
        choice = choices[0] if len(choices) == 1 else {}
        delta = given if isinstance(given := choice.get("delta"), dict) else {}
        self._choice_indexes.update(str(it.get("index") or 0) for it in choices)
        several = "several streamed choices" if len(self._choice_indexes) > 1 else ""
        self._skip_reason = self._skip_reason or several or why_skip_message(choice, delta)
        hidden = self._key.masked_value(delta, str(choice.get("index")))
        text = given if isinstance(given := hidden.get("content"), str) and not self._skip_reason else ""
        ends = choice.get("finish_reason") is not None
        left: bytes | None = raw
        if text and self._processor.changes_text:
            sent = {"content", *(("role",) if self._template else ())}  # some repeat it with every token
            hidden = {key: value for key, value in hidden.items() if key not in sent}
        if text:
            self._template = data | ({"usage": None} if "usage" in data else {})
        if hidden != delta:
            choice = {**choice, "delta": hidden}
            data = {**data, "choices": [choice]}
            left = _event_bytes(data) if hidden or ends or data.get("usage") else None
        closes = ends or self._skip_reason or not choice
        if left and not closes:
            await self._queue.put(left)
        for block in self._splitter.add_text(text):
            await self._queue_paragraph(block)
        if closes:
            await self._end_paragraph()
            await (self._queue_end(left, data, choice) if ends and left else self._queue.put(left or b""))

    async def _end_paragraph(self) -> None:
        block = self._splitter.last_paragraph()
        self._splitter = ParagraphSplitter(whole=self._processor.needs_whole_text)
        await self._queue_paragraph(block)

    async def _queue_paragraph(self, block: str) -> None:
        """Queues a paragraph. Its reasoning passes, and so does all of it beside something else."""
        reasoning, answer = self._reasoning.split(block)
        if self._skip_reason:
            reasoning, answer = block, ""
        if reasoning and self._processor.changes_text:
            await self._queue.put(_text_event(self._template, reasoning))
        if answer:
            await self._queue_answer(answer)

    async def _queue_answer(self, block: str) -> None:
        template = self._template
        task = asyncio.create_task(self._processor.postprocess(block, self._text_before))
        self._text_before = f"{self._text_before}{block}"[-CONTEXT_CHARS:]
        self._running.add(task)
        task.add_done_callback(self._running.discard)

        async def event_to_send() -> bytes:
            self._results.append(result := await task)
            return _text_event(template, result.text) if self._processor.changes_text else b""

        await self._queue.put(event_to_send)

    async def _queue_end(self, left: bytes, data: Json, choice: Json) -> None:
        self._has_ended = True

        async def event_to_send() -> bytes:
            if not self._results or len(self._choice_indexes) > 1:
                return left
            index, start = choice.get("index", 0), self._reasoning.length
            cited, done = annotations_and_entries(self._results, index, start)
            delta = {**(choice.get("delta") or {}), **({"annotations": cited} if cited else {})}
            return _event_bytes({**data, "choices": [{**choice, "delta": delta}], "rarr": {"results": done}})

        await self._queue.put(event_to_send)


def _event_bytes(data: Json) -> bytes:
    return b"data: %b\n\n" % json_bytes(data)


def _text_event(template: Json, text: str) -> bytes:
    index = template["choices"][0].get("index", 0)
    choice = {"index": index, "delta": {"content": text}, "finish_reason": None}
    return _event_bytes({**template, "choices": [choice]})


async def _events(body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
    """Yields the events of a body. Leaves out bytes after the last blank line, which are no whole event."""
    held = bytearray()
    async for piece in body:
        held[-3:] = (bytes(held[-3:]) + piece).replace(b"\r\n", b"\n")  # what came is not copied again
        if b"\n\n" in held[-len(piece) - 3 :]:
            *whole, rest = bytes(held).split(b"\n\n")
            held = bytearray(rest)
            for raw in whole:
                yield raw + b"\n\n"
        if len(held) > LONGEST_EVENT:
            raise broken_off_error()
