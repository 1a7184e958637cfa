"""What reaches the file while a run goes on."""

from pathlib import Path

from rarr.records import Notice
from rarr.tools.spans import RECORDER, note, span
from rarr.traces.recorder import RunRecorder
from traces.helpers import facts, store


def recorder(folder: Path, said: list[str] | None = None, name: str = "run") -> RunRecorder:
    return RunRecorder(store(folder), name, facts(), (said if said is not None else []).append)


async def test_question_that_was_paid_for_is_in_the_file_at_once(tmp_path: Path) -> None:
    token = RECORDER.set(recorder(tmp_path))
    with span("node", "edit", "q1"), span("request", "model"):
        note(texts=["yes"])
    RECORDER.reset(token)
    node, request = store(tmp_path).read("run").spans
    assert (request.parent, request.about, request.body) == (node.number, "", {"texts": ["yes"]})


async def test_what_goes_on_has_no_end(tmp_path: Path) -> None:
    token = RECORDER.set(recorder(tmp_path))
    with span("node", "edit"):
        with span("request", "model"):
            pass
        assert [one.seconds is None for one in store(tmp_path).read("run").spans] == [True, False]
    RECORDER.reset(token)


async def test_trace_that_fails_is_said_once(tmp_path: Path) -> None:
    said: list[str] = []
    token = RECORDER.set(recorder(tmp_path, said))
    for _ in range(2):
        with span("request", "model"):
            note(object=Notice)
    RECORDER.reset(token)
    assert said == ["the trace of this run is not kept: a trace cannot hold a ModelMetaclass"]


def test_second_run_of_a_name_is_not_kept(tmp_path: Path) -> None:
    said: list[str] = []
    recorder(tmp_path)
    assert not recorder(tmp_path, said).finish(None)
    assert "give another run_id" in said[0]
