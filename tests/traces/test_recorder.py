"""What reaches the file while a run goes on."""

import asyncio
import threading
from pathlib import Path

from rarr.records import Notice
from rarr.tools.concurrency import in_order, result_of
from rarr.tools.trace_spans import note, recording, saved, span
from rarr.traces.recorder import RunRecorder
from rarr.traces.trace_file import StoredSpan
from traces.helpers import facts, store


async def recorder(folder: Path, messages: list[str] | None = None, *, at_once: bool = True) -> RunRecorder:
    made = RunRecorder(store(folder), (messages if messages is not None else []).append, at_once=at_once)
    await made.start("run", facts())
    return made


def spans(folder: Path) -> list[StoredSpan]:
    return store(folder).read("run").spans


async def test_finished_request_is_written_at_once(tmp_path: Path) -> None:
    with recording(await recorder(tmp_path)), span("node", "edit", "q1"):
        with span("request", "model"):
            note(texts=["yes"])
        await saved()
        node, request = spans(tmp_path)
    assert (request.parent, request.about, request.body) == (node.number, "", {"texts": ["yes"]})


async def test_spans_of_a_short_run_are_written_at_the_flush(tmp_path: Path) -> None:
    made = await recorder(tmp_path, at_once=False)
    with recording(made), span("request", "model"):
        pass
    with recording(made):
        await saved()
    assert spans(tmp_path) == []
    await made.flush()
    assert [span.name for span in spans(tmp_path)] == ["model"]


async def test_body_is_written_as_it_was_when_the_span_began(tmp_path: Path) -> None:
    made = await recorder(tmp_path)
    with recording(made), span("request", "model", samples=1):
        note(object=Notice)  # no trace can hold this
        await made.flush()
        assert [span.body for span in spans(tmp_path)] == [{"samples": 1}]


async def test_failing_trace_is_reported_once(tmp_path: Path) -> None:
    messages: list[str] = []
    with recording(await recorder(tmp_path, messages)):
        for _ in range(2):
            with span("request", "model"):
                note(object=Notice)
            await saved()
    assert messages == ["the trace of this run is not kept: a trace cannot hold a ModelMetaclass"]


async def test_second_run_of_the_same_name_is_not_recorded(tmp_path: Path) -> None:
    messages: list[str] = []
    await recorder(tmp_path)
    await result_of((await recorder(tmp_path, messages)).ended(""))
    assert "give another run_id" in messages[0]


async def test_end_is_written_despite_a_cancelled_waiter(tmp_path: Path) -> None:
    made, free = await recorder(tmp_path), threading.Event()
    in_order(free.wait, 10)  # the thread of the traces has something else to do
    waiting = asyncio.create_task(_ending(made))
    await asyncio.sleep(0)
    waiting.cancel()
    await asyncio.gather(waiting, return_exceptions=True)
    free.set()
    await result_of(in_order(lambda: None))
    assert store(tmp_path).read("run").error == "cancelled"


async def _ending(made: RunRecorder) -> None:
    await result_of(made.ended("cancelled"))
