"""Tests that a stored run is read unchanged, and that a file without a valid trace is refused."""

from functools import partial
from pathlib import Path
from typing import Any

import pytest
from makers import edit

from rarr import Trace
from rarr.errors import InputError
from rarr.traces.store import TraceStore
from rarr.traces.trace_file import ReadBody, StoredSpan
from traces.helpers import TEXT, file, recorded, span

pytestmark = pytest.mark.loopback


def test_written_trace_is_read_unchanged(notes: Path, tmp_path: Path, home: Path) -> None:
    recorded(notes)
    trace, path = Trace.load("last", str(home)), tmp_path / "run.jsonl"
    path.write_text(trace.text())
    assert Trace.read(path).text().encode() == path.read_bytes()
    again = TraceStore(tmp_path / "elsewhere")
    again.add_trace(Trace.read(path).file)
    assert again.read_trace(trace.run_id).text().encode() == path.read_bytes()


def test_trace_of_an_earlier_version_is_read(tmp_path: Path) -> None:
    """Earlier versions stored the process of the run, and the field `accepted` of each edit."""
    made, path = edit(0, 4, "Two.", old="One."), tmp_path / "run.jsonl"
    body = {"update": {"edits": [made.model_dump() | {"accepted": True}]}}
    text = file(spans=[span(body=body)]).text()
    path.write_text(text.replace('"warnings":[]', '"warnings":[],"process":["host",1]', 1))
    trace = Trace.read(path)
    assert (trace.text(), trace.updates[0]["edits"]) == (text, [made])


def test_reading_holds_its_evidence_sentences_and_planted_sentences(notes: Path) -> None:
    revision = recorded(notes)
    reading = next(span for span in Trace.load("last").spans if span.kind == "read")
    read = ReadBody.model_validate(reading.body)
    assert read.evidence == [passage.id for passage in revision.evidence]
    first = read.sentences[0]
    assert (first.text, first.verdict) == (TEXT.split(" It")[0], "no")
    assert {it.outcome for it in read.controls} == {"found"}


@pytest.mark.parametrize(
    "text",
    [
        *("", "{}", "[]\n", '{"run":{"format":3}}\n', "\x00\n", f'{file().text()}{{"end"'),
        file().text().replace('"format":3', '"format":2'),
        file().text().replace("run-1", "../../run"),
        *(file().text().replace("{}", f'{{"x":{number}}}', 1) for number in ("Infinity", "NaN", "1e999")),
    ],
)
def test_file_that_is_not_a_trace_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match="is not a trace") as refused:
        Trace.read(tmp_path / "run.json")
    assert "unpack" not in str(refused.value)


@pytest.mark.parametrize("call", [Trace.read, Trace.load, partial(Trace.load, home="~/x")])
def test_run_or_file_of_another_type_is_a_wrong_call(call: Any) -> None:
    with pytest.raises(InputError, match=r"^(trace '7' cannot be read|there is no trace of a run '7')"):
        call(7)


ASKED = {"prompt": "hash", "user": "u", "temperature": 0.0}
TOLD = {"samples": 1, "max_tokens": 9, "texts": ["x"], "said": [1, 1, 0], "cost": None}


@pytest.mark.parametrize(
    ("spans", "message"),
    [
        ([span(1, parent=2), span(2, parent=1)], "span 1 is within span 2"),
        ([span(n, parent=n - 1) for n in range(1, 3000)], "within more than 16 other spans"),
        ([span(kind="ask", body={})], "prompt: Field required"),
        ([span(kind="ask", body=ASKED)], "asks with a prompt that the file lacks"),
        ([span(kind="request", body=TOLD | {"tokens": [2**60, 2, 3]})], "tokens.0"),
        ([span(kind="request", body={"samples": 1})], "max_tokens: Field required"),
        ([span(body={"update": {"checks": 5}})], "checks"),
    ],
)
def test_malformed_span_is_refused(tmp_path: Path, home: Path, spans: list[StoredSpan], message: str) -> None:
    """Refused from an exported file, and from the data folder."""
    path = tmp_path / "run.json"
    path.write_text(file(spans=spans).text())
    with pytest.raises(InputError) as from_file:
        Trace.read(path)
    assert message in str(from_file.value)
    assert "\n" not in str(from_file.value)
    TraceStore(home).add_trace(file(spans=spans))
    with pytest.raises(InputError, match="rarr trace prune run-1 removes it"):
        Trace.load("run-1", home)
