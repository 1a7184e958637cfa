"""Works on a stream of the Responses API: text goes out by blocks, and its last events hold all of it."""

from collections.abc import AsyncGenerator, AsyncIterator, Iterable, Iterator
from copy import deepcopy
from typing import Any

from rarr.records.postprocessing import Postprocessed
from rarr.serve.openai_answer_texts import Place, response_annotations
from rarr.serve.ordered_stream import BrokenOffError, Item
from rarr.serve.server_sent_events import events, written
from rarr.serve.streamed_text import StreamedText
from rarr.serve.text_work import TextWork

_NAMES = ("item_id", "output_index", "content_index")
_ENDS = ("response.completed", "response.incomplete", "response.failed", "error")


class ResponseStream:
    """Works on one streamed answer of the Responses API.

    Its events are numbered anew, because their count changes.
    """

    def __init__(self, work: TextWork) -> None:
        self._work = work
        self._texts: dict[Place, StreamedText] = {}
        self._names: dict[Place, dict[str, Any]] = {}  # what the events of a text have in common
        self._number = 0
        self._ended = False

    async def items(self, body: AsyncIterator[bytes]) -> AsyncGenerator[Item, None]:
        """Reads the events in `body`, and yields in order what to send to the client.

        Raises `BrokenOffError` for a stream without its end, after all of its text.
        """
        async for event in events(body):
            if event.data is None:
                yield event.raw
                continue
            data = event.data
            kind = str(data.get("type"))
            self._ended = self._ended or kind in _ENDS
            place = _place(data)
            if kind.startswith("response.output_text."):
                self._names[place] = {name: data[name] for name in _NAMES if name in data}
            if kind == "response.output_text.delta" and isinstance(data.get("delta"), str):
                if not self._work.changes_text:
                    yield self._event(data)
                for block in await self._text(place).add(data["delta"]):
                    yield self._block(place, block)
                continue
            complete = (
                self._texts if kind in _ENDS else [place] if kind == "response.output_text.done" else ()
            )
            for item in self._rest(complete):
                yield item
            yield self._event(data)
        for item in self._rest(self._texts):
            yield item
        if not self._ended:
            raise BrokenOffError

    def cancel(self) -> None:
        """Stops working on texts."""
        for text in self._texts.values():
            text.cancel()

    def _rest(self, places: Iterable[Place]) -> Iterator[Item]:
        """Yields the last blocks of these texts."""
        for place in list(places):
            if block := self._text(place).last():
                yield self._block(place, block)

    def _text(self, place: Place) -> StreamedText:
        if place not in self._texts:
            self._texts[place] = StreamedText(self._work)
        return self._texts[place]

    def _block(self, place: Place, block: str) -> Item:
        def render(result: Postprocessed) -> bytes:
            if not self._work.changes_text:
                return b""
            return self._numbered(
                {
                    "type": "response.output_text.delta",
                    **self._names[place],
                    "delta": result.text,
                    "logprobs": [],
                }
            )

        return self._text(place).item(block, render)

    def _event(self, data: dict[str, Any]) -> Item:
        """Makes an item of an event. In it, the texts that were sent replace the texts that came."""

        async def made() -> bytes:
            return self._numbered(self._with_texts(deepcopy(data)))

        return made

    def _numbered(self, data: dict[str, Any]) -> bytes:
        data["sequence_number"] = self._number
        self._number += 1
        return written(data, str(data.get("type")))

    def _with_texts(self, data: dict[str, Any]) -> dict[str, Any]:
        kind, (output, content) = data.get("type"), _place(data)
        if kind == "response.output_text.done":
            data["text"] = self._sent((output, content), data.get("text"))
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
        if isinstance(part, dict) and part.get("type") == "output_text" and place in self._texts:
            part["text"] = self._sent(place, part.get("text"))
            made = self._texts[place].citations(response_annotations)
            part["annotations"] = [*(part.get("annotations") or ()), *made]

    def _sent(self, place: Place, came: Any) -> Any:
        text = self._texts.get(place)
        return text.sent if text and text.results else came


def _place(data: dict[str, Any]) -> Place:
    output, content = data.get("output_index"), data.get("content_index")
    return (output if isinstance(output, int) else 0, content if isinstance(content, int) else 0)
