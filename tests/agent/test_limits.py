"""A deadline or a budget ends a run, also in a long text, with a sound revision that says so."""

import asyncio
import time
from collections.abc import Iterator
from typing import Any

import pytest
from families import few

from agent.mills import (
    RIGHT,
    SENTENCES,
    TEXT,
    Clock,
    Searches,
    block_size,
    by_blocks,
    codes,
    judged,
    long_text,
    revised,
    settings_for,
    statuses,
)
from benchmarks import mills
from rarr import Settings, arevise
from rarr.records import Usage
from rarr.testing import InMemoryRetriever, ScriptedServer
from rarr.tools.models import run_budget as meter

PRICED: dict[str, Any] = {"endpoints": {"scripted": {"price": (2.0, 8.0, 0.5)}}}
SHORT, SHORT_RIGHT = mills.mills_text(4, wrong=2), mills.mills_text(4, wrong=0)


@pytest.fixture(autouse=True, scope="module")
def short_blocks() -> Iterator[None]:
    """Also loads what a first run loads, which takes real time: searches of a test move the clock on."""
    with block_size():
        revised(by_blocks(), long_text(1))
        yield


@pytest.fixture
def clock(monkeypatch: pytest.MonkeyPatch) -> Clock:
    monkeypatch.setattr(meter, "_clock", made := Clock())
    return made


@pytest.fixture(scope="module")
def usage() -> Usage:
    """What the text costs without a limit."""
    return revised(by_blocks(**PRICED), TEXT).usage


@pytest.mark.parametrize(("after", "least"), few([(9, 2), (20, 2), (26, 24), (33, 26), (60, 48)], every=2))
def test_blocks_finished_before_the_deadline_are_kept(clock: Clock, after: int, least: int) -> None:
    revision = revised(by_blocks(search=Searches(clock, 1.0), deadline_s=after + 0.8), TEXT)
    done = judged(revision).count(True)
    assert (len(judged(revision)), least - 2 <= done <= after + 1) == (SENTENCES, True)
    supported = [sentence.status for sentence in revision.report.sentences].count("supported")
    assert revision.scores.attribution_after in (None, pytest.approx(supported / SENTENCES))
    blocks_done = done // 24 * 24  # two are under way at once, of 12 sentences each
    assert judged(revision)[:blocks_done] == [True] * blocks_done
    for number, sentence in enumerate(revision.report.sentences[:blocks_done]):
        assert sentence.text == mills.mills_text(1, 0, first=number)
    if after >= SENTENCES:
        assert (revision.text, revision.warnings) == (RIGHT, ())
        return
    [notice] = revision.warnings
    message = f"deadline_s={after + 0.8} ended the run after {done} of {SENTENCES} sentences: "
    assert (notice.code, notice.message) == ("budget_exhausted", f"{message}raise it for more")


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
    def spent(usage: Usage) -> float:
        tokens = usage.input_tokens + usage.output_tokens
        return {"max_calls": usage.model_calls, "max_tokens": tokens}.get(limit, usage.cost or 0.0)

    most = share * spent(usage) if limit == "max_cost" else int(share * spent(usage))
    revision = revised(by_blocks(**PRICED, **{limit: most}), TEXT)
    assert revision.usage.model_calls <= usage.model_calls
    # The length of an answer is not known before.
    assert spent(revision.usage) <= most * (1.05 if limit == "max_cost" else 1)
    [notice], done = revision.warnings, judged(revision).count(True)
    assert notice.code == "budget_exhausted" and notice.message.startswith(f"{limit}={most}")
    assert f"ended the run after {done} of {SENTENCES} sentences" in notice.message
    assert 12 * (share >= 0.5) <= done <= (share + 0.5) * SENTENCES
    for sentence in revision.report.sentences:
        assert sentence.text in RIGHT or sentence.status in ("contradicted", "unjudged")


@pytest.mark.loopback
@pytest.mark.parametrize("latency", [0.2, 60.0], ids=["one answer", "none"])
def test_deadline_ends_a_run_with_a_slow_server(latency: float) -> None:
    with ScriptedServer(mills.respond, latency=latency) as server:
        started = time.perf_counter()
        revision = revised(settings_for(server, deadline_s=0.3, concurrency=1), SHORT)
        assert time.perf_counter() - started < 30
    assert codes(revision) == {"budget_exhausted", "usage_estimated"}
    assert any("deadline_s (0.3)" in warning.message for warning in revision.warnings)
    for sentence in revision.report.sentences:  # a wrong sentence was judged to be so, or not judged
        is_right = sentence.text in SHORT_RIGHT
        assert sentence.status in ("supported" if is_right else "contradicted", "unjudged")


def test_budget_does_not_bind_the_embedded_models() -> None:
    documents = InMemoryRetriever([mills.mill_document(0)])
    revision = revised(Settings(search=documents, max_calls=0, max_tokens=0), mills.mill_document(0))
    assert (codes(revision), statuses(revision)) == (set(), {"supported"})


@pytest.mark.loopback
def test_usage_is_that_of_the_server_to_the_token() -> None:
    with ScriptedServer(mills.respond) as server:
        usage, tokens = revised(settings_for(server), SHORT).usage, server.tokens
    assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == tokens
    assert usage.model_calls == len(server.requests)
    for node, spent in usage.by_node.items():
        asked = [request.tokens for request in server.requests if request.prompt == node]
        counted = [sum(kind) for kind in zip((0, 0, 0), *asked, strict=True)]
        assert [spent.input_tokens, spent.output_tokens, spent.cached_tokens] == counted
        assert spent.model_calls == len(asked)
