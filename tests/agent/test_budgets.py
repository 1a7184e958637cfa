"""Whatever a run may spend, it ends with a revision that is sound, and says so where something was cut."""

import time

import pytest

from agent.mills import codes, revised, settings_for, statuses
from benchmarks.mills import answer, document, text_of
from rarr import Revision, Settings
from rarr.testing import InMemoryRetriever, ScriptedServer

TEXT = text_of(4, wrong=2)
RIGHT = text_of(4, wrong=0)
CUT = {"budget_exhausted"}


def assert_honest(revision: Revision) -> None:
    """A sentence that is wrong still was judged to be so, or not judged; nothing failed."""
    for sentence in revision.report.sentences:
        if sentence.text not in RIGHT:
            assert sentence.status in ("contradicted", "unjudged")
        else:
            assert sentence.status in ("supported", "unjudged")


@pytest.mark.loopback
@pytest.mark.parametrize("latency", [0.2, 60.0], ids=["one answer", "none"])
def test_deadline_budget_ends_a_run_with_a_slow_server(latency: float) -> None:
    with ScriptedServer(answer, latency=latency) as server:
        started = time.perf_counter()
        revision = revised(settings_for(server, deadline_s=0.3, concurrency=1), TEXT)
        assert time.perf_counter() - started < 30
    assert codes(revision) == CUT
    assert any("deadline_s (0.3)" in warning.message for warning in revision.warnings)
    assert_honest(revision)


def test_budget_does_not_bind_the_embedded_models() -> None:
    revision = revised(
        Settings(search=InMemoryRetriever([document(0)]), max_calls=0, max_tokens=0), document(0)
    )
    assert codes(revision) == set()
    assert statuses(revision) == {"supported"}


@pytest.mark.loopback
def test_usage_is_that_of_the_server_to_the_token() -> None:
    with ScriptedServer(answer) as server:
        revision = revised(settings_for(server), TEXT)
        usage, tokens = revision.usage, server.tokens
        assert (usage.input_tokens, usage.output_tokens, usage.cached_tokens) == tokens
        assert usage.model_calls == len(server.requests)
        for node, spent in usage.by_node.items():
            asked = [request for request in server.requests if request.prompt == node]
            counted = [
                sum(kind) for kind in zip((0, 0, 0), *(request.tokens for request in asked), strict=True)
            ]
            assert [spent.input_tokens, spent.output_tokens, spent.cached_tokens] == counted
            assert spent.model_calls == len(asked)
