"""Traces of long texts: each call of a node saw its block alone, and the whole comes out of all of them."""

from collections.abc import Iterator

import pytest
from agent.long_mills import SIZE, block_size, by_blocks, long_text

from rarr import Reviser, Revision
from rarr.tools.text.long_text_blocks import text_blocks
from rarr.traces.trace_reader import Trace

TEXT = long_text(12, wrong=(0, 11, 30))
BLOCKS = list(text_blocks(TEXT, SIZE))


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


def test_call_of_a_node_sees_only_its_block(run: tuple[Revision, Trace]) -> None:
    _, trace = run
    calls = [span for span in trace.spans if span.name == "check_agreement" and span.kind == "node"]
    for number, block in enumerate(BLOCKS, start=1):
        seen = [state for call in calls if (state := trace.state(call))["block"] == number]
        assert {state["original"] for state in seen} == {block.of(TEXT)}
        assert all(query.id.startswith(f"q{number}-") for state in seen for query in state["queries"])
