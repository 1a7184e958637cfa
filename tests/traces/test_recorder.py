"""What reaches the file while a run goes on."""

import asyncio
from pathlib import Path

from rarr.records import Notice
from rarr.tools.spans import _RECORDER, note, span
from rarr.traces.recorder import RunRecorder
from traces.helpers import facts, store


def recorder(folder: Path, said: list[str] | None = None, name: str = "run") -> RunRecorder:
    made = RunRecorder(store(folder), (said if said is not None else []).append, at_once=True)
    made.start(name, facts())
    return made


async def test_question_that_was_paid_for_is_in_the_file_at_once(tmp_path: Path) -> None:
    token = _RECORDER.set(recorder(tmp_path))
    with span("node", "edit", "q1"), span("request", "model"):
        note(texts=["yes"])
    _RECORDER.reset(token)
    node, request = store(tmp_path).read("run").spans
    assert (request.parent, request.about, request.body) == (node.number, "", {"texts": ["yes"]})


async def test_what_ends_soon_is_written_together(tmp_path: Path) -> None:
    made = RunRecorder(store(tmp_path), lambda said: None)
    made.start("run", facts())
    token = _RECORDER.set(made)
    with span("request", "model"):
        pass
    assert store(tmp_path).read("run").spans == []
    await asyncio.sleep(0.05)
    _RECORDER.reset(token)
    assert [one.name for one in store(tmp_path).read("run").spans] == ["model"]


async def test_what_goes_on_has_no_end(tmp_path: Path) -> None:
    token = _RECORDER.set(recorder(tmp_path))
    with span("node", "edit"):
        with span("request", "model"):
            pass
        assert [one.seconds is None for one in store(tmp_path).read("run").spans] == [True, False]
    _RECORDER.reset(token)


async def test_trace_that_fails_is_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    token = _RECORDER.set(recorder(tmp_path, said))
    for _ in range(2):
        with span("request", "model"):
            note(object=Notice)
    _RECORDER.reset(token)
    assert said == ["the trace of this run is not kept: a trace cannot hold a ModelMetaclass"]


def test_second_run_of_a_name_is_not_kept(tmp_path: Path) -> None:
    said: list[str] = []
    recorder(tmp_path)
    recorder(tmp_path, said).ended("")
    assert "give another run_id" in said[0]
