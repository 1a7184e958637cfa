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

_EMBEDDED_AT_ONCE = 2  # one block searches while another computes
_MOST_AT_ONCE = 16
_DIVIDING = 1.25  # times the grace: after this time, the rest is not even divided into sentences
_REQUESTS = 8  # requests of one block at once, on average


def block_size(text: str, components: Components) -> int | None:
    """Decides the length of the blocks of `text`, in characters (the setting `block_chars`).

    None if the text goes through the graph as a whole, because it is short or the editor rewrites all of it.
    """
    size = components.settings.block_chars
    # EFEC and LaMDA Research rewrite the whole text at once.
    return None if size is None or len(text) <= size or components.baseline.is_whole else size


async def by_blocks(start: State, size: int, components: Components, run: RunBlock) -> State:
    """Revises the text of `start` in blocks of about `size` characters, and returns the joined state.

    `run` takes the first state of a block through the graph and returns its last state.
    """
    walk = _BlockQueue(start, size, run)
    await together(*(walk.work() for _ in range(_at_once(components))))
    outcomes = [walk.outcomes[number] for number in sorted(walk.outcomes)]
    state = await asyncio.to_thread(join_blocks, start, outcomes, components.settings.report_size)
    return {**state, "warnings": [*state["warnings"], *_limit_notices(outcomes, meter(), unread=walk.unread)]}


def _at_once(components: Components) -> int:
    if not components.models:
        return _EMBEDDED_AT_ONCE
    return min(_MOST_AT_ONCE, max(_EMBEDDED_AT_ONCE, components.settings.concurrency // _REQUESTS))


class _BlockQueue:
    """The blocks of a text, which several workers take in order and revise; `outcomes` has results by number.

    `unread`: the deadline was so long ago that the rest of the text was not even divided into sentences.
    """

    def __init__(self, start: State, size: int, run: RunBlock) -> None:
        self.outcomes: dict[int, BlockOutcome] = {}
        self.unread = False
        self._start, self._run = start, run
        self._blocks = text_blocks(start["original"], size)
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
                self._last = TextBlock(
                    self._last.number + 1, rest, "", (rest,) if rest.of(text).strip() else ()
                )
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
            " divide them, so they are unjudged: raise block_chars",
            node="",
        )
        for block, _ in outcomes
        if block.too_long and block.sentences
    ]
    if not any(outcome.cut for outcome in outcomes):
        return notices
    done, all_ = (
        sum(counts)
        for counts in zip(
            *((outcome.done, len(outcome.block.sentences)) for outcome in outcomes), strict=True
        )
    )
    of = "" if unread else f" of {all_}"
    message = (
        f"{_limit(meter)} ended the run after {done}{of} sentences: raise {meter.ended or 'it'} for more"
    )
    return [*notices, Notice(code=CUT, message=message, node="")]


def _limit(meter: Meter) -> str:
    limits = {
        "": "a limit",  # a limit of the process in which the run began
        "deadline_s": f"the deadline of {meter.budget.deadline_s or 0:g} s",
        "max_calls": f"the budget of {meter.budget.max_calls} model calls",
        "max_tokens": f"the budget of {meter.budget.max_tokens} tokens",
        "max_cost": f"the budget of {meter.budget.max_cost or 0:g} (cost)",
    }
    return limits[meter.ended]
