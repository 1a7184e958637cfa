"""Saved readings in the traces, replays and checkpoints of runs."""

from pathlib import Path

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.test_saved_readings import (
    JUDGED,
    READINGS,
    WRONG,
    asked,
    corpus as corpus,
    revised,
    server as server,
)
from rarr import Reviser, Settings
from rarr.agent.replay.replay import replay
from rarr.testing import ScriptedServer
from rarr.traces.trace_reader import Trace
from rarr.views.html.trace import page as page_of

pytestmark = pytest.mark.loopback


def test_trace_tells_which_answers_were_saved(server: ScriptedServer, corpus: Path, tmp_path: Path) -> None:
    revised(server, corpus)
    trace = Trace.load(revised(server, corpus).run_id)
    asks = [span for span in trace.spans if span.kind == "ask"]
    assert [(span.name, span.body["saved"]) for span in asks] == [
        ("fill_blank", ["vllm:one", pytest.approx(0.9)]),
        ("write_question", ["vllm:one", None]),
        ("read_evidence", ["vllm:one", pytest.approx(0.9)]),
    ]
    assert not any(span.kind == "request" for span in trace.spans)
    page = page_of(trace)
    assert "a saved reading, not asked" in page
    assert "0, 3 saved" in page


def test_replay_answers_from_the_trace_and_not_from_the_disk(
    server: ScriptedServer, corpus: Path, tmp_path: Path
) -> None:
    home, elsewhere = tmp_path / "home", tmp_path / "elsewhere"
    for _ in range(2):
        trace = Trace.load(revised(server, corpus, home=home).run_id, home)
    server.close()
    (home / "readings.sqlite").unlink()
    replayed = replay(trace, home=elsewhere)
    assert replayed.same
    assert replayed.revision is not None and replayed.revision.usage.saved_calls == 3
    assert not (home / "readings.sqlite").exists()
    assert not (elsewhere / "readings.sqlite").exists()


def test_replay_of_a_node_with_another_model_asks_and_saves_nothing(
    server: ScriptedServer, corpus: Path, tmp_path: Path
) -> None:
    for _ in range(2):
        trace = Trace.load(revised(server, corpus).run_id)
    saved = (tmp_path / "home" / "readings.sqlite").read_bytes()
    for count in (6, 9):
        replay(trace, "check_agreement", model="vllm:two", base_url=server.url, corpus=corpus)
        assert asked(server).total() == count
    assert (tmp_path / "home" / "readings.sqlite").read_bytes() == saved


@pytest.mark.parametrize("before", [0, 1], ids=["asked", "saved"])
def test_resumed_run_counts_each_answer_once(server: ScriptedServer, corpus: Path, before: int) -> None:
    for _ in range(before):
        revised(server, corpus)

    def stop(node: str) -> None:
        if node == "check_agreement":
            raise ZeroDivisionError

    given = {"model": "vllm:one", "base_url": server.url, "corpus": corpus, "models": JUDGED}
    saver, settings = InMemorySaver(), Settings(**given)
    with (
        Reviser(settings, on_step=stop, checkpointer=saver) as reviser,
        pytest.raises(ZeroDivisionError),
    ):
        reviser.revise(WRONG, run_id="r1")
    with Reviser(settings, checkpointer=saver) as reviser:
        usage = reviser.resume("r1").usage
    assert (usage.model_calls, usage.saved_calls) == ((0, 3) if before else (3, 0))
    assert asked(server) == READINGS
