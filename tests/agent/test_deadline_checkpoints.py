"""Long texts with a checkpointer: whenever a run is ended, it goes on where each of its blocks was."""

import itertools
from collections.abc import Callable, Iterator
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.long_mills import assert_sound, block_size, by_blocks, long_text
from rarr import Reviser, Revision
from rarr.agent.replaying import replay
from rarr.traces.trace_reader import Trace

TEXT, RIGHT = long_text(9, wrong=(0, 11, 30)), long_text(9)


@pytest.fixture(autouse=True, scope="module")
def short_blocks() -> Iterator[None]:
    with block_size():
        yield


def content(revision: Revision) -> str:
    return revision.model_dump_json(exclude={"run_id", "usage"})


def stopping_at(last: int) -> Callable[[str], None]:
    left = itertools.count(last - 1, -1)

    def stop(node: str) -> None:
        if next(left) == 0:
            raise ZeroDivisionError

    return stop


def reviser(saver: Any, **callbacks: Any) -> Reviser:
    return Reviser(by_blocks(), checkpointer=saver, **callbacks)


@pytest.fixture(scope="module")
def undisturbed() -> Revision:
    with Reviser(by_blocks()) as agent:
        return agent.revise(TEXT)


@pytest.mark.slow
@pytest.mark.parametrize("last", [1, 2, 13, 17, 30, 40, 52])
def test_run_by_blocks_is_resumed_from_its_last_step(last: int, undisturbed: Revision) -> None:
    saver, run_id = InMemorySaver(), f"r{last}"
    with reviser(saver, on_step=stopping_at(last)) as agent, pytest.raises(ZeroDivisionError):
        agent.revise(TEXT, run_id=run_id)
    with reviser(saver) as other:
        resumed = other.resume(run_id)
    assert content(resumed) == content(undisturbed)
    assert resumed.text == RIGHT
    assert_sound(resumed)
    assert Trace.load(run_id).revision == resumed
    assert replay(Trace.load(run_id)).same
