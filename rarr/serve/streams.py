"""Postprocesses streamed answers paragraph by paragraph. Sends all other events unchanged and in order."""

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
"""The most bytes of one event of a stream."""
QUEUE_SIZE = 256  # the most events that are read before they can be sent
SHORTEST_KEY = 8
"""A key with fewer characters is not removed from answers, because it may be an ordinary word."""
_SLASH_FORMS, _PLUS_FORMS = (b"/", b"\\/"), (b"+", b"\\u002B", b"\\u002b")  # as JSON encoders write / and +
_LINE = re.compile(r"[^\n]*\n|[^\n]+")
_FENCE = re.compile(r" {0,3}(?:```|~~~)")


def broken_off_error() -> Refusal:
    """Makes the error for an answer that the upstream server (the server of the model) did not complete."""
    return Refusal(502, "upstream_broke_off", "the server behind broke off its answer: ask again")


def key_forms(key: bytes) -> set[bytes]:
    """Returns all ways to write `key` in an answer: as it is, and with / or + escaped as in JSON."""
    return {key.replace(b"/", slash).replace(b"+", plus) for slash in _SLASH_FORMS for plus in _PLUS_FORMS}


def mask_key(data: bytes, key: bytes) -> bytes:
    """Replaces `key` in `data` by `*` signs. The length of the data does not change."""
    for form in key_forms(key) if key else ():
        data = data.replace(form, b"*" * len(form))
    return data


def key_overlap(text: AnyStr, key: AnyStr) -> int:
    """Returns how many characters at the end of `text` may begin a `key`. A whole `key` does not count."""
    return next((n for n in range(len(key) - 1, 0, -1) if text.endswith(key[:n])), 0)


class ParagraphSplitter:
    """Divides a text that comes in pieces into paragraphs. Together, the paragraphs are exactly the text.

    A blank line outside of code ends a paragraph. A heading belongs to the paragraph below the heading. If
    `whole` is true, the text is a single paragraph.
    """

    def __init__(self, *, whole: bool = False) -> None:
        self._whole, self._lines, self._line = whole, list[str](), list[str]()
        self._is_complete = self._in_code = self._has_words = False

    def add_text(self, text: str) -> list[str]:
        """Adds a piece of the text. Returns the paragraphs that are now complete."""
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
        """Returns the text after the last complete paragraph. The text may be empty."""
        return "".join([*self._lines, *self._line])

    def _update_flags(self, line: str) -> None:
        if line.strip():
            self._in_code ^= bool(_FENCE.match(line))
            self._has_words = self._has_words or self._in_code or not line.lstrip().startswith("#")
        elif self._has_words and not self._in_code:
            self._is_complete = True


class ReasoningSplitter:
    """Separates the reasoning of a model from the answer after it. The reasoning may have many paragraphs."""

    def __init__(self) -> None:
        self._prefix, self._has_ended, self.length = "", False, 0

    def split(self, block: str) -> tuple[str, str]:
        """Returns two parts of the next paragraph, `block`: the reasoning at its start, and the answer."""
        if self._has_ended:
            return "", block
        end = reasoning_end(self._prefix + block)
        at = len(block) if end is None else end - len(self._prefix)
        self._prefix = "<think>\n" if end is None else ""
        self._has_ended = at < len(block)
        self.length += at
        return block[:at], block[at:]


class StreamKeyMask:
    """Masks an API key, even if it is divided between events. The first 8 characters stay readable."""

    def __init__(self, key: str) -> None:
        self._key, self._key_lengths = key, dict[tuple[str | int, ...], int]()

    def masked_value(self, value: Any, *place: str | int) -> Any:
        """Masks the API key in all texts of a JSON value. `place` is the path to the value in its event."""
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
    """Postprocesses each paragraph of a streamed answer once it is complete. Masks the API key `key`."""

    def __init__(self, processor: TextPostprocessor, key: str) -> None:
        self._processor, self._splitter = processor, ParagraphSplitter(whole=processor.needs_whole_text)
        self._key, self._reasoning = StreamKeyMask(key), ReasoningSplitter()
        self._template: Json = {}  # the last event that brought a piece of the text
        self._text_before, self._results, self._has_ended = "", list[Postprocessed](), False
        self._choice_indexes, self._skip_reason = set[str](), ""  # why the rest is not postprocessed
        # In the order of sending: bytes to send, or a function that waits for the bytes. None is the end.
        self._queue: asyncio.Queue[Callable[[], Awaitable[bytes]] | bytes | None] = asyncio.Queue(QUEUE_SIZE)
        self._running: set[asyncio.Task[Any]] = set()

    async def output_pieces(self, body: AsyncIterator[bytes]) -> AsyncGenerator[bytes, None]:
        """Yields the output for the events in `body`. Raises `Refusal` at the end if `body` is incomplete."""
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
        """Reads `body` and queues all output. After an error, queues the text so far and raises the error."""
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
        """Queues the event `raw`; its JSON is `data`. A text that may change is queued in paragraphs."""
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
            sent = {"content", *(("role",) if self._template else ())}  # some servers repeat the role
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
        """Queues a paragraph. Postprocesses the part after the reasoning, unless `_skip_reason` is set."""
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
    """Yields the events of `body`. A blank line ends an event; an incomplete last event is left out."""
    held = bytearray()
    async for piece in body:
        held[-3:] = (bytes(held[-3:]) + piece).replace(b"\r\n", b"\n")  # earlier bytes are not copied
        if b"\n\n" in held[-len(piece) - 3 :]:
            *whole, rest = bytes(held).split(b"\n\n")
            held = bytearray(rest)
            for raw in whole:
                yield raw + b"\n\n"
        if len(held) > LONGEST_EVENT:
            raise broken_off_error()
