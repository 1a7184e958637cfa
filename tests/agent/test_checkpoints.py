"""Runs with a checkpointer: their names, and that one which was killed goes on where it was."""

import os
import random
import signal
import subprocess
import sys
import time
from contextlib import nullcontext
from pathlib import Path
from typing import Any
from unittest.mock import patch

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from agent.mills import revised, settings_for
from benchmarks.documents import ROOT
from benchmarks.mills import mills_text, respond
from rarr import InputError, Reviser, Revision
from rarr.agent.replaying import replay
from rarr.testing import InMemoryRetriever, ScriptedServer
from rarr.traces.recorder import RunRecorder
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace

MILLS = mills_text(4, wrong=2)
CHILD = """
import sys
from langgraph.checkpoint.sqlite.aio import AsyncSqliteSaver
from agent.mills import settings_for
from rarr import Reviser
url, path, *text = sys.argv[1:]
with Reviser(settings_for(url), checkpointer=lambda: AsyncSqliteSaver.from_conn_string(path)) as reviser:
    revision = reviser.revise(*text, run_id="r1") if text else reviser.resume("r1")
sys.stdout.buffer.write(revision.model_dump_json().encode())
"""


@pytest.fixture(scope="module")
def kept() -> Reviser:
    return Reviser(search=InMemoryRetriever(), trace=False, checkpointer=InMemorySaver())


@pytest.mark.parametrize("run_id", ["", " ", "a b", "../a", "-a", "a" * 129, 3, b"a"])
def test_run_id_of_the_wrong_form_is_refused(kept: Reviser, run_id: Any) -> None:
    what = rf".* \(length {len(run_id)}\)" if isinstance(run_id, str) else f"an? {type(run_id).__name__}"
    with pytest.raises(InputError, match=f"^run_id is {what}: give up to 128 letters, digits"):
        kept.revise(MILLS, run_id=run_id)


def test_run_id_cannot_be_used_twice(kept: Reviser) -> None:
    kept.revise(MILLS, run_id="r1")
    with pytest.raises(InputError, match=r"^run 'r1' was begun before: resume it, or give another run_id$"):
        kept.revise(MILLS, run_id="r1")


@pytest.mark.loopback
@pytest.mark.parametrize("killed", [False, True])
def test_finished_run_asks_nothing_also_if_killed_before_its_trace_got_the_revision(killed: bool) -> None:
    last = patch.object(RunRecorder, "_write_end_line", lambda *_: None) if killed else nullcontext()
    with ScriptedServer(respond) as server:
        agent = Reviser(settings_for(server), checkpointer=InMemorySaver())
        with last:
            done = agent.revise(MILLS, run_id="r1")
        again = agent.resume("r1")
    assert again.model_copy(update={"usage": done.usage}) == done
    assert again.usage.model_calls == done.usage.model_calls == len(server.requests) > 0
    assert Trace.load("r1").revision == again


def child(strict: str, *argv: str) -> subprocess.Popen[bytes]:
    environment = os.environ | {"PYTHONPATH": f"{ROOT}:{ROOT}/tests", "LANGGRAPH_STRICT_MSGPACK": strict}
    call = [sys.executable, "-c", CHILD, *argv]
    return subprocess.Popen(call, env=environment, stdout=subprocess.PIPE, stderr=subprocess.PIPE)


LATENCY_S = 0.05
LONGEST_S = 8 * LATENCY_S  # about as long as the run takes


@pytest.mark.slow
@pytest.mark.loopback
@pytest.mark.parametrize("moment", range(20))
def test_killed_run_goes_on_in_another_process(moment: int, tmp_path: Path, monkeypatch: Any) -> None:
    """At 20 moments; strict serialization in every other one, and cards in every other two."""
    strict, path = ("true", "false")[moment % 2], str(tmp_path / "runs")
    monkeypatch.setenv("RARR_PRESET", ("default", "paper")[moment // 2 % 2])
    with ScriptedServer(respond, latency=LATENCY_S) as server:
        killed = child(strict, server.url, path, MILLS)
        while not server.requests and killed.poll() is None:
            time.sleep(0.005)
        time.sleep(random.Random(moment).uniform(0, LONGEST_S))
        killed.kill()  # it may be done
        _, errors = killed.communicate()
        assert (errors, killed.returncode) in ((b"", -signal.SIGKILL), (b"", 0))
        trace = Trace.load("r1")
        begun = [span for span in trace.spans if span.kind == "request"]
        paid = {messages(trace, span) for span in begun if span.body.get("texts")}
        before = len(server.requests)
        after, errors = child(strict, server.url, path).communicate()
        asked = [tuple(it.content for it in request.messages) for request in server.requests[before:]]
        undisturbed = revised(settings_for(server), MILLS)
    assert errors == b""
    assert trace.status in ("unfinished", "done")  # it may have been killed while it closed its files
    resumed, other = Revision.model_validate_json(after), {"run_id", "usage"}
    assert resumed.model_dump_json(exclude=other) == undisturbed.model_dump_json(exclude=other)
    assert not paid & set(asked)
    ended = sum("samples" in span.body for span in begun)
    assert resumed.usage.model_calls == ended + len(asked)
    assert replay(Trace.load("r1")).same
    assert Trace.load("r1").revision == resumed


def messages(trace: Trace, request: StoredSpan) -> tuple[str, ...]:
    """What a recorded request said: its system message and its user message."""
    asked = next(span for span in trace.spans if span.number == request.parent)
    return trace.prompts[asked.body["prompt"]].system, asked.body["user"]
