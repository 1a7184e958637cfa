"""Traces of long texts: each call of a node saw its block alone, and the whole comes out of all of them."""

from collections.abc import Iterator

import pytest
from agent.long_mills import block_size, by_blocks, long_text

from rarr import Reviser, Revision
from rarr.traces.trace_reader import Trace

TEXT = long_text(12, wrong=(0, 11, 30))


@pytest.fixture(autouse=True, scope="module")
def short_blocks() -> Iterator[None]:
    with block_size():
        yield


@pytest.fixture(scope="module")
def run() -> tuple[Revision, Trace]:
    with Reviser(by_blocks()) as reviser:
        revision = reviser.revise(TEXT, run_id="long")
    return revision, Trace.load("long")


@pytest.mark.slow
def test_trace_ends_in_the_state_of_the_run(run: tuple[Revision, Trace]) -> None:
    revision, trace = run
    state = trace.state()
    assert (state["text"], trace.revision) == (revision.text, revision)
    assert (state["report"], state["scores"]) == (revision.report, revision.scores)
    for name in ("queries", "evidence", "checks", "edits"):
        assert tuple(state[name]) == getattr(revision, name)
