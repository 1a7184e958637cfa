"""A deadline or a budget ends a run in the middle of a long text and keeps the finished blocks."""

import asyncio
from collections.abc import Iterator
from typing import Any

import pytest
from families import few

from agent.long_mills import (
    RIGHT,
    SENTENCES,
    TEXT,
    Clock,
    Searches,
    assert_sound,
    block_size,
    by_blocks,
    judged,
    long_text,
)
from agent.mills import revised
from benchmarks import mills
from rarr import arevise
from rarr.records import Usage
from rarr.tools.models import run_budget as meter


@pytest.fixture(autouse=True, scope="module")
def short_blocks() -> Iterator[None]:
    with block_size():
        yield


@pytest.fixture(scope="module", autouse=True)
def warm() -> None:
    """Load what a first run loads: it takes real time, in which the searches of a test move the clock on."""
    revised(by_blocks(), long_text(1))


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    made = Clock()
    monkeypatch.setattr(meter, "_clock", made)
    return made


PRICED: dict[str, Any] = {"endpoints": {"scripted": {"price": (2.0, 8.0, 0.5)}}}


@pytest.fixture(scope="module")
def usage() -> Usage:
    """What the text costs without a limit."""
    return revised(by_blocks(**PRICED), TEXT).usage


@pytest.mark.parametrize(("after", "least"), few([(9, 2), (20, 2), (26, 24), (33, 26), (60, 48)], every=2))
def test_blocks_finished_before_the_deadline_are_kept(clock: Clock, after: int, least: int) -> None:
    revision = revised(by_blocks(search=Searches(clock, 1.0), deadline_s=after + 0.8), TEXT)
    done = judged(revision).count(True)
    assert_sound(revision)
    assert len(judged(revision)) == SENTENCES
    assert least - 2 <= done <= after + 1
    blocks_done = done // 24 * 24  # two are under way at once, of 12 sentences each
    assert judged(revision)[:blocks_done] == [True] * blocks_done
    for number, sentence in enumerate(revision.report.sentences[:blocks_done]):
        assert sentence.text == mills.text_of(1, 0, first=number)
    if after >= SENTENCES:
        assert (revision.text, revision.warnings) == (RIGHT, ())
        return
    [notice] = revision.warnings
    assert (notice.code, notice.message) == (
        "budget_exhausted",
        f"deadline_s={after + 0.8} ended the run after {done} of {SENTENCES} sentences: raise it for more",
    )


async def test_block_whose_report_takes_long_is_left(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rarr.nodes.attribute.all_relevances", lambda *_: asyncio.sleep(60))
    async with asyncio.timeout(10):
        revision = await arevise(TEXT, sources=[RIGHT], deadline_s=0.5)
    # How much of the text was divided into sentences by then depends on the machine.
    assert judged(revision) and not any(judged(revision))
    assert revision.text == TEXT


@pytest.mark.parametrize("limit", ["max_calls", "max_tokens", "max_cost"])
@pytest.mark.parametrize("share", few([0.5, 0.0, 0.2, 0.8], every=4))
def test_budget_ends_the_run_in_the_middle_of_the_text(limit: str, share: float, usage: Usage) -> None:
    needed = {
        "max_calls": usage.model_calls,
        "max_tokens": usage.input_tokens + usage.output_tokens,
        "max_cost": usage.cost or 0.0,
    }[limit]
    most = share * needed if limit == "max_cost" else int(share * needed)
    revision = revised(by_blocks(**PRICED, **{limit: most}), TEXT)
    spent = revision.usage
    assert spent.model_calls <= usage.model_calls
    assert {"max_calls": spent.model_calls, "max_tokens": spent.input_tokens + spent.output_tokens}.get(
        limit, spent.cost or 0.0
    ) <= most * (1.05 if limit == "max_cost" else 1)  # the length of an answer is not known before
    [notice] = revision.warnings
    assert notice.code == "budget_exhausted"
    assert f"ended the run after {judged(revision).count(True)} of {SENTENCES} sentences" in notice.message
    assert notice.message.startswith(f"{limit}={most}")
    assert 12 * (share >= 0.5) <= judged(revision).count(True) <= (share + 0.5) * SENTENCES
    assert_sound(revision)
    for sentence in revision.report.sentences:
        assert sentence.text in RIGHT or sentence.status in ("contradicted", "unjudged")
