"""Revises a long text in blocks, several at the same time. Each block goes through the whole graph.

If the run reaches a limit, finished blocks keep their revision, and the rest of the text is not changed.
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
_FEWEST, _MOST = 2, 16  # blocks at once; with the embedded reader, one searches while another computes
_READING, _DIVIDING = 0.1, 0.3  # of the grace: then blocks under way are left, then the rest is not divided
_WORKING = ("passages", "reached", "lacking", "supports", "cards", "kept")  # keys of the block's own run
_REQUESTS = 8  # requests of one block at once, on average


def is_revised_in_blocks(text: str, components: Components) -> bool:
    """Tells whether the text is long and divided; never in preset `paper` or in baselines that rewrite it."""
    whole = components.settings.scope == "text" or components.baseline.rewrites_text
    return len(text) > BLOCK_CHARS and not whole


async def revise_blocks(
    start: State, components: Components, run: Callable[[State], Awaitable[State]]
) -> State:
    """Revises the text of the state `start` in blocks. Joins the last states of all blocks into one state.

    `run` takes the first state of a block through the graph and returns its last state.
    """
    text, limits = start["original"], meter()
    blocks = _blocks(text, limits)

    async def revised(block: TextBlock) -> BlockState:
        state: Any = unread_block_state(text, block)
        if not block.too_long and block.sentences:
            lead, place = block.lead, block.span._asdict()
            whole = lead + block.span.of(text)
            begun: State = {"original": whole, "text": whole, "context": start["context"], "warnings": []}
            begun |= {"round": 1, "block": block.number, "lead": len(lead)}
            with span("block", f"block {block.number}", "", lead=lead, **place), suppress(BudgetError):
                async with limits.in_time(_READING * limits.grace_s):
                    state = await run(begun)
                limits.share += (block.span.end - block.span.start) / len(text)
        return BlockState(block, cast(State, {it: state[it] for it in state if it not in _WORKING}))

    def joined() -> State:  # all that is left in one job: under load, each change of threads takes long
        runs.extend(BlockState(block, unread_block_state(text, block)) for block in blocks)
        runs.sort(key=lambda run: run.block.number)
        state = join_block_states(start, runs, components.settings.report_size)
        return {**state, "warnings": [*state["warnings"], *_limit_notices(runs, limits)]}

    at_once = components.settings.concurrency // _REQUESTS if components.models else 0
    following = iter(lambda: None if limits.is_over else next(blocks, None), None)
    runs = await for_each(following, revised, max(_FEWEST, min(_MOST, at_once)))
    return await asyncio.to_thread(joined)


def _blocks(text: str, limits: Meter) -> Iterator[TextBlock]:
    """Yields the blocks. Some time after the deadline, yields the rest of the text as a single block."""
    blocks, last = text_blocks(text, BLOCK_CHARS), TextBlock(0, Span(0, 0), "", ())
    while (at := last.span.end) < len(text):
        if (limits.remaining_s or 0.0) < -_DIVIDING * limits.grace_s:
            rest = Span(at, len(text))
            last = TextBlock(last.number + 1, rest, "", (rest,) if rest.of(text).strip() else ())
        else:
            last = next(blocks)
        yield last


def _limit_notices(runs: Sequence[BlockState], limits: Meter) -> list[Notice]:
    """Makes warnings about blocks that are too long, and one about text that a limit of the run left out."""
    notices = list[Notice]()
    for block, _ in runs:
        if block.too_long and block.sentences:
            where = f"characters {block.span.start} to {block.span.end} hold no end of a sentence"
            cure = "that could divide them, so they are unjudged: end the sentences with a full stop"
            notices.append(Notice(code="block_too_long", message=f"{where} {cure}", node=""))
    if any(run.is_cut for run in runs):
        counted = [block.sentences for block, _ in runs]
        is_unread = counted[-1] == (runs[-1].block.span,)  # a rest that was not divided into sentences
        of = "" if is_unread else f" of {sum(map(len, counted))}"
        # Without a name, it was a limit of the process in which the run began.
        limit = f"{limits.ended}={getattr(limits.budget, limits.ended)}" if limits.ended else "a limit"
        done = sum(run.sentences_done for run in runs)
        message = f"{limit} ended the run after {done}{of} sentences: raise it for more"
        notices.append(Notice(code=CUT_CODE, message=message, node=""))
    return notices
