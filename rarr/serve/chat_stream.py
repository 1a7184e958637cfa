"""Works on a streamed chat completion: its text goes out block by block, everything else as it came."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from copy import deepcopy
from typing import Any

from rarr.records.postprocessing import Postprocessed
from rarr.serve.openai_answer_texts import chat_annotations
from rarr.serve.ordered_stream import BrokenOffError, Item
from rarr.serve.server_sent_events import Event, events, written
from rarr.serve.streamed_text import StreamedText
from rarr.serve.text_work import TextWork


class ChatStream:
    """Works on one streamed chat completion. Each of its choices is a text of its own."""

    def __init__(self, work: TextWork) -> None:
        self._work = work
        self._texts: dict[int, StreamedText] = {}
        self._begun, self._finished = set[int](), set[int]()  # choices
        self._chunk: dict[str, Any] = {}  # the last one, in whose form texts go out
        self._ended = False

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

    def cancel(self) -> None:
        """Stops working on texts."""
        for text in self._texts.values():
            text.cancel()

    async def _items(self, event: Event, data: dict[str, Any]) -> AsyncGenerator[Item, None]:
        rest, ending, acting = deepcopy(data), list[int](), list[int]()
        touched = False
        for choice in (choice for choice in rest["choices"] if isinstance(choice, dict)):
            index, piece = _index(choice), _taken(choice, held=self._work.changes_text)
            self._begun.add(index)
            if piece:
                touched = touched or self._work.changes_text
                for block in await self._text(index).add(piece):
                    yield self._block(index, block)
            if choice.get("finish_reason") is not None and index not in self._finished:
                ending.append(index)
            elif isinstance(delta := choice.get("delta"), dict) and delta.get("tool_calls"):
                acting.append(index)
        for item in self._rest([*ending, *acting]):  # the text before a call of a tool goes out before it
            yield item
        self._finished.update(ending)
        if ending:
            yield self._finish(rest, ending)
        elif not touched:
            yield event.raw
        elif _tells_something(rest):
            yield written(rest)

    def _require_finished(self) -> None:
        if self._begun - self._finished or not (self._ended or self._finished):
            raise BrokenOffError

    def _rest(self, indices: Iterable[int]) -> Iterator[Item]:
        """Yields the last blocks of the texts of these choices."""
        for index in list(indices):
            if block := self._text(index).last():
                yield self._block(index, block)

    def _text(self, index: int) -> StreamedText:
        if index not in self._texts:
            self._texts[index] = StreamedText(self._work)
        return self._texts[index]

    def _block(self, index: int, block: str) -> Item:
        data = self._chunk

        def render(result: Postprocessed) -> bytes:
            if not self._work.changes_text:
                return b""
            choice = {"index": index, "delta": {"content": result.text}, "finish_reason": None}
            usage = {"usage": None} if "usage" in data else {}
            return written({**data, **usage, "choices": [choice]})

        return self._text(index).item(block, render)

    def _finish(self, rest: dict[str, Any], ending: list[int]) -> Item:
        async def render() -> bytes:
            results = []
            for choice in rest["choices"]:
                if (index := _index(choice)) in ending and (text := self._text(index)).results:
                    results += text.shown(index)
                    if citations := text.citations(chat_annotations):
                        choice["delta"] = {**(choice.get("delta") or {}), "annotations": citations}
            return written({**rest, "rarr": {"results": results}} if results else rest)

        return render


def _index(choice: Any) -> int:
    index = choice.get("index") if isinstance(choice, dict) else 0
    return index if isinstance(index, int) else 0


def _taken(choice: dict[str, Any], *, held: bool) -> str:
    """Returns the text of a delta, and takes it out if it is `held` back."""
    delta = choice.get("delta")
    text = delta.get("content") if isinstance(delta, dict) else None
    if not isinstance(delta, dict) or not isinstance(text, str) or not text:
        return ""
    if held:
        del delta["content"]
    return text


def _tells_something(rest: dict[str, Any]) -> bool:
    """Tells whether anything is left of a chunk whose text was taken out."""
    deltas = [choice.get("delta") for choice in rest["choices"] if isinstance(choice, dict)]
    return any(deltas) or rest.get("usage") is not None
