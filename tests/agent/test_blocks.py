"""A long text goes block by block through all steps, and comes out as a text in one piece would."""

from collections.abc import Iterator
from typing import Any

import pytest
from families import few
from langgraph.checkpoint.memory import InMemorySaver

from agent.mills import (
    RIGHT,
    SIZE,
    TEXT,
    WRONG,
    block_size,
    by_blocks,
    codes,
    judged,
    long_text,
    revised,
    stopping_at,
)
from benchmarks import mills
from rarr import Reviser, Revision
from rarr.agent.replaying import replay
from rarr.testing import ScriptedModel
from rarr.tools.text.long_text_blocks import text_blocks
from rarr.traces.trace_reader import Trace

pytestmark = pytest.mark.slow


@pytest.fixture(autouse=True, scope="module")
def short_blocks() -> Iterator[None]:
    with block_size():
        yield


@pytest.fixture(scope="module")
def undisturbed() -> Revision:
    return revised(by_blocks(), TEXT)


def test_long_text_in_blocks_gives_the_same_revision_as_in_one_piece(undisturbed: Revision) -> None:
    with block_size(10**6):
        whole = revised(by_blocks(), TEXT)
    assert undisturbed.text == whole.text == RIGHT
    assert undisturbed.scores.preservation == whole.scores.preservation
    assert undisturbed.report.sentences[0].evidence_ids == ("q1-1.1",)
    parts = {"text", "start", "end", "status", "support"}
    first, second = (
        [it.model_dump(include=parts) for it in (*made.report.sentences, *made.queries)]
        for made in (undisturbed, whole)
    )
    assert first == second
    assert undisturbed.warnings == ()


def test_failing_block_leaves_the_other_blocks_unchanged() -> None:
    second = list(text_blocks(TEXT, SIZE))[1]

    def answer(asked: Any) -> Any:
        if asked.prompt == "generate_queries" and second.sentences[3].of(TEXT) in asked.messages[1].content:
            raise ConnectionError("the server is gone")
        return mills.respond(asked)

    revision = revised(by_blocks(model=ScriptedModel(answer)), TEXT)
    assert judged(revision) == [True] * 12 + [False] * 12 + [True] * 24
    assert codes(revision) == {"generate_queries_failed"}


@pytest.mark.parametrize(
    "separator",
    few(["\n\n☃ 👩‍👩‍👧 é\u0301!\n\n", "\r\n\r\n", "\n\n```\nIt was built in 1777.\n```\n\n"], every=3),
)
def test_places_in_the_text_are_exact(separator: str) -> None:
    revision = revised(by_blocks(), long_text(12, WRONG, separator))
    assert revision.text == long_text(12, separator=separator)
    assert sorted(edit.old for edit in revision.edits) == sorted(str(mills.year_built(n) + 3) for n in WRONG)
    searched = [query for query in revision.queries if query.searched]
    assert all(revision.original[it.start : it.end].isdigit() for it in searched)
    assert searched == sorted(searched, key=lambda query: query.start)


@pytest.mark.parametrize("last", [1, 2, 9, 17, 27])
def test_run_by_blocks_is_resumed_from_its_last_step(last: int, undisturbed: Revision) -> None:
    saver, run_id = InMemorySaver(), f"r{last}"
    with (
        Reviser(by_blocks(), checkpointer=saver, on_step=stopping_at(last)) as agent,
        pytest.raises(ZeroDivisionError),
    ):
        agent.revise(TEXT, run_id=run_id)
    with Reviser(by_blocks(), checkpointer=saver) as other:
        resumed = other.resume(run_id)
    content = {"run_id", "usage"}
    assert resumed.model_dump_json(exclude=content) == undisturbed.model_dump_json(exclude=content)
    assert Trace.load(run_id).revision == resumed
    assert replay(Trace.load(run_id)).same
