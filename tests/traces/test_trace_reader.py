"""A run is read back as it was."""

import asyncio
from pathlib import Path

import pytest

import rarr
from rarr import Reviser, Settings, Trace
from rarr.errors import InputError
from rarr.traces.store import _row
from rarr.traces.trace_file import ReadBody, StoredSpan
from rarr.views.pages import trace_page as page
from rarr.views.trace_text import as_text
from traces.helpers import RIGHT, TEXT, facts, file, recorded, span, store

pytestmark = pytest.mark.loopback


def test_trace_holds_the_returned_revision(notes: Path) -> None:
    revision = recorded(notes)
    trace = Trace.load(revision.run_id)
    assert revision.text == RIGHT
    assert trace.revision
    assert trace.revision.model_dump_json() == revision.model_dump_json()


@pytest.mark.slow
def test_state_before_a_call_is_the_input_of_the_call(notes: Path) -> None:
    recorded(notes)
    trace = Trace.load("last")
    nodes = {span.name: span for span in trace.spans if span.kind == "node"}
    first, last = nodes["check_agreement"], nodes["attribute"]
    assert "checks" not in trace.state(first)
    assert trace.state(first)["evidence"]
    assert (trace.state(first)["text"], trace.state(last)["text"]) == (TEXT, RIGHT)


def test_written_trace_is_read_unchanged(notes: Path, tmp_path: Path) -> None:
    recorded(notes)
    trace = Trace.load("last")
    trace.write(tmp_path / "run.json")
    assert Trace.read(tmp_path / "run.json").file.text() == trace.file.text()
    again = store(tmp_path / "elsewhere")
    again.add(Trace.read(tmp_path / "run.json").file)
    assert again.read(trace.run_id).text().encode() == (tmp_path / "run.json").read_bytes()


async def test_cancelled_run_is_recorded_as_cancelled() -> None:
    searching = asyncio.Event()

    class Slow:
        async def retrieve(self, query: str, k: int) -> list[rarr.Passage]:
            searching.set()
            await asyncio.sleep(60)
            return []

    reviser = Reviser(Settings(search=Slow()))
    task = asyncio.create_task(reviser.arevise(TEXT))
    await asyncio.wait_for(searching.wait(), 30)
    task.cancel()
    with pytest.raises(asyncio.CancelledError):
        await task
    trace = Trace.load("last")
    await reviser.aclose()
    assert (trace.status, trace.file.error, trace.revision) == ("failed", "cancelled", None)


def test_reading_holds_its_evidence_sentences_and_planted_sentences(notes: Path) -> None:
    revision = recorded(notes)
    reading = next(span for span in Trace.load("last").spans if span.kind == "read")
    read = ReadBody.model_validate(reading.body)
    assert read.evidence == [passage.id for passage in revision.evidence]
    first = read.sentences[0]
    assert (first.text, first.verdict) == (TEXT.split(" It")[0], "no")
    assert {it.outcome for it in read.controls} == {"found"}


def test_file_with_missing_records_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(file().model_copy(update={"revision": {"text": {"#": 9}}}).text())
    with pytest.raises(InputError, match="lacks its record 9"):
        Trace.read(path)
    path.write_text(file().model_copy(update={"revision": {"text": 1}}).text())
    with pytest.raises(InputError, match="is damaged"):
        Trace.read(path)


ASKED = {"prompt": "hash", "user": "u", "temperature": 0.0}
TOLD = {"samples": 1, "max_tokens": 9, "texts": ["x"], "said": [1, 1, 0], "cost": None}


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([span(1, parent=2), span(2, parent=1)], "span 1 is within span 2"),
        ([span(1), span(1)], "span 1 comes after span 1"),
        ([span(n, parent=n - 1) for n in range(1, 3000)], "within more than 16 other spans"),
        ([span(kind="ask", body={})], "prompt: Field required"),
        ([span(kind="ask", body=ASKED)], "asks with a prompt that the file lacks"),
        ([span(kind="ask", body=ASKED | {"answers": [5]})], "answers.0"),
        ([span(kind="request", body=TOLD | {"tokens": [2**60, 2, 3]})], "tokens.0"),
        ([span(kind="request", body={"samples": 1})], "max_tokens: Field required"),
        ([span(kind="score", body={"best": [[1, 2]], "passages": 1})], "best.0"),
        ([span(body={"prompt": "zzz"})], "prompt: Extra inputs"),
        ([span(body={"update": {"passages": {"q1": [["x"]]}}})], "update.passages.q1.0"),
        ([span(body={"update": {"checks": 5}})], "checks"),
    ],
)
def test_malformed_span_is_refused(tmp_path: Path, home: Path, spans: list[StoredSpan], message: str) -> None:
    """In a file, and in the store, whatever brought it there."""
    path = tmp_path / "run.json"
    odd = file().model_copy(update={"spans": spans})
    path.write_text(odd.text())
    with pytest.raises(InputError) as from_file:
        Trace.read(path)
    assert message in str(from_file.value)
    assert "\n" not in str(from_file.value)
    kept = store(home)
    run = kept.begin("run-1", 1.0, facts())
    kept.write(run, [_row(stored) for stored in {stored.number: stored for stored in spans}.values()], {})
    kept.close()
    if len({stored.number for stored in spans}) == len(spans):
        with pytest.raises(InputError, match="rarr trace prune run-1 removes it"):
            Trace.load("run-1", home)


@pytest.mark.parametrize("number", ["Infinity", "NaN", "1e999"])
def test_value_outside_json_is_refused(tmp_path: Path, number: str) -> None:
    path = tmp_path / "run.json"
    path.write_text(file().text().replace('"settings":{}', f'"settings":{{"x":{number}}}'))
    with pytest.raises(InputError, match="is not a trace"):
        Trace.read(path)


@pytest.mark.slow
def test_unfinished_span_may_be_empty(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    open_ = [span(kind=kind, number=n, seconds=None) for n, kind in enumerate(("node", "ask", "request"), 1)]
    file(spans=open_).write(path)
    trace = Trace.read(path)
    assert "question edit not ended" in as_text(trace, full=True)
    assert "What it asked is known once it has ended." in page(trace)


def test_inner_spans_are_in_order() -> None:
    spans = [span(1), span(2), span(3, parent=1, kind="score"), span(4, parent=2), span(5, parent=3)]
    spans.append(span(6, parent=1))
    trace = Trace(file(spans=spans))
    assert [span.number for span in trace.within(spans[0])] == [3, 5, 6]
    assert [span.number for span in trace.within(spans[0], "score")] == [3]
