"""Revises a long text in blocks of about 4,000 characters. The whole graph runs for each block.

Several blocks run at the same time. If the run reaches a limit, only the finished blocks are changed.
"""

import asyncio
from collections.abc import Awaitable, Callable, Iterator, Sequence
from contextlib import suppress
from typing import Any, cast

from rarr.components import Components
from rarr.errors import BudgetError
from rarr.ledger.block_joining import CUT_CODE, BlockState, join_block_states, unread_block_state
from rarr.records import Notice
from rarr.state import State
from rarr.tools.concurrency import for_each
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.long_text_blocks import TextBlock, text_blocks
from rarr.tools.trace_spans import span

BLOCK_CHARS = 4000
"""The approximate length of a block in characters. A shorter text is revised as a whole."""
_MIN_BLOCKS, _MAX_BLOCKS = 2, 16  # at the same time; two, so that one can search while the other computes
_READING_SHARE, _DIVIDING_SHARE = 0.1, 0.3  # of the grace time: then blocks end; then the rest is one block
_BLOCK_KEYS = ("passages", "reached", "lacking", "supports", "cards", "kept")  # keys of the run of a block


def is_revised_in_blocks(text: str, components: Components) -> bool:
    """Tells whether `text` is longer than a block, and `components` do not edit a text as a whole."""
    whole = components.settings.scope == "text" or components.baseline.rewrites_text
    return len(text) > BLOCK_CHARS and not whole


async def revise_blocks(
    start: State, components: Components, run: Callable[[State], Awaitable[State]]
) -> State:
    """Revises the text of the state `start` in blocks. Joins the last states of all blocks into one state.

    `run` takes the first state of a block, runs the graph, and returns the last state of the block.
    """
    text, limits = start["original"], meter()
    blocks = _blocks_until_deadline(text, limits)

    async def revise_block(block: TextBlock) -> BlockState:
        state: Any = unread_block_state(text, block)
        if not block.too_long and block.sentences:
            lead, place = block.lead, block.span._asdict()
            whole = lead + block.span.of(text)
            begun: State = {"original": whole, "text": whole, "context": start["context"], "warnings": []}
            begun |= {"round": 1, "block": block.number, "lead": len(lead)}
            with span("block", f"block {block.number}", "", lead=lead, **place), suppress(BudgetError):
                async with limits.in_time(_READING_SHARE * limits.grace_s):
                    state = await run(begun)
                limits.share += (block.span.end - block.span.start) / len(text)
        return BlockState(block, cast(State, {it: state[it] for it in state if it not in _BLOCK_KEYS}))

    def join_states() -> State:  # one job for all: under load, each change of threads takes long
        runs.extend(BlockState(block, unread_block_state(text, block)) for block in blocks)
        runs.sort(key=lambda run: run.block.number)
        state = join_block_states(start, runs, components.settings.report_size)
        return {**state, "warnings": [*state["warnings"], *_limit_notices(runs, limits)]}

    # A block has about eight requests at the same time.
    at_once = components.settings.concurrency // 8 if components.models else 0
    following = iter(lambda: None if limits.is_over else next(blocks, None), None)
    runs = await for_each(following, revise_block, max(_MIN_BLOCKS, min(_MAX_BLOCKS, at_once)))
    return await asyncio.to_thread(join_states)


def _blocks_until_deadline(text: str, limits: Meter) -> Iterator[TextBlock]:
    """Yields the blocks of `text`. Some time after the deadline, yields the rest of `text` as one block."""
    blocks, last = text_blocks(text, BLOCK_CHARS), TextBlock(0, Span(0, 0), "", ())
    while (at := last.span.end) < len(text):
        if (limits.remaining_s or 0.0) < -_DIVIDING_SHARE * limits.grace_s:
            rest = Span(at, len(text))
            last = TextBlock(last.number + 1, rest, "", (rest,) if rest.of(text).strip() else ())
        else:
            last = next(blocks)
        yield last


def _limit_notices(runs: Sequence[BlockState], limits: Meter) -> list[Notice]:
    """Makes a warning for each block that is too long, and one warning if a limit left sentences undone."""
    notices = list[Notice]()
    for block, _ in runs:
        if block.too_long and block.sentences:
            where = f"characters {block.span.start} to {block.span.end} hold no end of a sentence"
            cure = "that could divide them, so they are unjudged: end the sentences with a full stop"
            notices.append(Notice(code="block_too_long", message=f"{where} {cure}", node=""))
    if any(run.is_cut_by_limit for run in runs):
        counted = [block.sentences for block, _ in runs]
        is_unread = counted[-1] == (runs[-1].block.span,)  # the rest of the text, whose sentences are unknown
        of = "" if is_unread else f" of {sum(map(len, counted))}"
        # The name is empty if an earlier process of a resumed run reached the limit.
        limit = f"{limits.ended}={getattr(limits.budget, limits.ended)}" if limits.ended else "a limit"
        done = sum(run.sentences_done for run in runs)
        message = f"{limit} ended the run after {done}{of} sentences: raise it for more"
        notices.append(Notice(code=CUT_CODE, message=message, node=""))
    return notices
