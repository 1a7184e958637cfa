"""Revises a long text in blocks, a few at a time, in text order. Each goes through the whole graph.

If the run reaches a limit, finished blocks keep their revision, and the rest of the text is not changed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Sequence

from rarr.components import Components
from rarr.ledger.block_joining import CUT, BlockOutcome, block_state, join_blocks, without_working_keys
from rarr.records import Notice
from rarr.state import State
from rarr.tools.concurrency import together
from rarr.tools.models.run_budget import Meter, apart, meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.long_text_blocks import TextBlock, text_blocks
from rarr.tools.trace_spans import span

RunBlock = Callable[[State], Awaitable[State]]

BLOCK_CHARS = 4000
"""The length of a block, about; a shorter text is revised as a whole."""
_FEWEST, _MOST = 2, 16  # blocks at once; with the embedded reader, one searches while another computes
_DIVIDING = 1.25  # times the grace: after this time, the rest is not even divided into sentences
_REQUESTS = 8  # requests of one block at once, on average


def is_divided(text: str, components: Components) -> bool:
    """Is the text revised in blocks? Not by the paper, nor by its baselines that rewrite the whole text."""
    whole = components.settings.scope == "text" or components.baseline.is_whole
    return len(text) > BLOCK_CHARS and not whole


async def by_blocks(start: State, components: Components, run: RunBlock) -> State:
    """Revises the text of `start` in blocks, and returns the joined state.

    `run` takes the first state of a block through the graph and returns its last state.
    """
    queue = _BlockQueue(start, run)
    at_once = _FEWEST
    if components.models:
        at_once = min(_MOST, max(at_once, components.settings.concurrency // _REQUESTS))
    await together(*(queue.work() for _ in range(at_once)))
    outcomes = [queue.outcomes[number] for number in sorted(queue.outcomes)]
    state = await asyncio.to_thread(join_blocks, start, outcomes, components.settings.report_size)
    notices = _limit_notices(outcomes, meter(), unread=queue.unread)
    return {**state, "warnings": [*state["warnings"], *notices]}


class _BlockQueue:
    """The blocks of a text, which several workers take in order and revise; `outcomes` has results by number.

    `unread`: the deadline was so long ago that the rest of the text was not even divided into sentences.
    """

    def __init__(self, start: State, run: RunBlock) -> None:
        self.outcomes: dict[int, BlockOutcome] = {}
        self.unread = False
        self._start, self._run = start, run
        self._blocks = text_blocks(start["original"], BLOCK_CHARS)
        self._turn = asyncio.Lock()
        self._last = TextBlock(0, Span(0, 0), "", ())

    async def work(self) -> None:
        """Takes and revises blocks until none is left; beyond a limit of the run, they stay unrevised."""
        while (block := await self._next()) is not None:
            self.outcomes[block.number] = BlockOutcome(block, await self._state(block))

    async def _next(self) -> TextBlock | None:
        async with self._turn:
            text, at = self._start["original"], self._last.span.end
            if at == len(text):
                return None
            if (meter().remaining or 0.0) < -_DIVIDING * meter().grace:
                self.unread = True
                rest = Span(at, len(text))
                sentences = (rest,) if rest.of(text).strip() else ()
                self._last = TextBlock(self._last.number + 1, rest, "", sentences)
            else:
                self._last = await asyncio.to_thread(next, self._blocks)
            return self._last

    async def _state(self, block: TextBlock) -> State | None:
        if meter().over or block.too_long or not block.sentences:
            return None
        text, context = self._start["original"], self._start["context"]
        place = block.span._asdict()
        with apart(), span("block", f"block {block.number}", "", lead=block.lead, **place):
            begun = block_state(text, context, block.number, block.span, block.lead)
            return without_working_keys(await self._run(begun))


def _limit_notices(outcomes: Sequence[BlockOutcome], meter: Meter, *, unread: bool) -> list[Notice]:
    """Makes warnings about blocks that are too long, and one about text that a limit of the run left out."""
    notices = [
        Notice(
            code="block_too_long",
            message=f"characters {block.span.start} to {block.span.end} hold no end of a sentence that could"
            " divide them, so they are unjudged: end the sentences with a full stop",
            node="",
        )
        for block, _ in outcomes
        if block.too_long and block.sentences
    ]
    if not any(outcome.cut for outcome in outcomes):
        return notices
    done = sum(outcome.done for outcome in outcomes)
    of = "" if unread else f" of {sum(len(outcome.block.sentences) for outcome in outcomes)}"
    # Without a name, it was a limit of the process in which the run began.
    limit = f"{meter.ended}={getattr(meter.budget, meter.ended)}" if meter.ended else "a limit"
    message = f"{limit} ended the run after {done}{of} sentences: raise it for more"
    return [*notices, Notice(code=CUT, message=message, node="")]
