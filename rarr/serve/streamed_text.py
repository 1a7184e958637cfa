"""Holds one text of a stream: its blocks, their results, and where they stand in what was sent."""

import asyncio
from collections.abc import Callable, Sequence
from typing import Any

from rarr.records.postprocessing import AnswerCitation, Postprocessed
from rarr.serve.ordered_stream import Item
from rarr.serve.rarr_answer_object import shown
from rarr.serve.stream_blocks import StreamBlocks
from rarr.serve.text_work import TextWork

Annotations = Callable[[Sequence[AnswerCitation], int], list[dict[str, Any]]]


class StreamedText:
    """One text. Its blocks are worked on at the same time, and sent in order."""

    def __init__(self, work: TextWork) -> None:
        self._work, self._blocks = work, StreamBlocks(whole=work.needs_whole)
        self._before, self._running = "", set[asyncio.Task[Postprocessed]]()
        self.results: list[tuple[int, Postprocessed]] = []
        """The results that were sent, each with the place in the sent text where its own text begins."""

    @property
    def sent(self) -> str:
        """Returns all of the text that was sent."""
        return "".join(result.text for _, result in self.results)

    async def add(self, piece: str) -> list[str]:
        """Adds a piece, and returns the blocks that are complete now."""
        return await self._blocks.add(piece)

    def last(self) -> str:
        """Returns the last block; "" if there is none."""
        return self._blocks.rest()

    def item(self, block: str, render: Callable[[Postprocessed], bytes]) -> Item:
        """Begins to work on a block. The item waits for it, and makes its bytes by `render`."""
        task = asyncio.create_task(self._work.result(block, self._before))
        self._before += block
        self._running.add(task)
        task.add_done_callback(self._running.discard)

        async def made() -> bytes:
            result = await task
            self.results.append((len(self.sent), result))
            return render(result)

        return made

    def shown(self, index: int) -> list[dict[str, Any]]:
        """Returns the facts about all blocks that were sent."""
        return [shown(result, index, offset) for offset, result in self.results]

    def citations(self, make: Annotations) -> list[dict[str, Any]]:
        """Returns the annotations of all blocks that were sent, with places in the whole text."""
        return [one for offset, result in self.results for one in make(result.citations, offset)]

    def cancel(self) -> None:
        """Stops working on blocks."""
        for task in self._running:
            task.cancel()
