"""A run is read back as it was."""

import asyncio
from pathlib import Path

import pytest

import rarr
from rarr import Reviser, Settings, Trace
from rarr.errors import InputError
from rarr.testing import Status
from traces.helpers import RIGHT, TEXT, file, recorded, store

pytestmark = pytest.mark.loopback


def test_revision_is_the_one_that_was_returned(notes: Path) -> None:
    revision = recorded(notes)
    trace = Trace.load(revision.run_id)
    assert revision.text == RIGHT
    assert trace.revision
    assert trace.revision.model_dump_json() == revision.model_dump_json()


def test_updates_lead_to_the_final_state(notes: Path) -> None:
    revision = recorded(notes)
    state = Trace.load("last").state()
    assert state["text"] == revision.text
    for name in ("queries", "evidence", "checks", "edits"):
        assert tuple(state[name]) == getattr(revision, name)
    assert (state["report"], state["scores"]) == (revision.report, revision.scores)


def test_state_before_a_call_is_what_it_saw(notes: Path) -> None:
    recorded(notes)
    trace = Trace.load("last")
    first, again = (one for one in trace.spans if one.name == "check_agreement" and one.kind == "node")
    assert "checks" not in trace.state(first)
    assert trace.state(first)["evidence"]
    assert (trace.state(first)["text"], trace.state(again)["text"]) == (TEXT, RIGHT)


def test_failed_attempt_is_beside_the_one_that_helped(notes: Path) -> None:
    recorded(notes, [Status(500)])
    failed, helped = [one for one in Trace.load("last").spans if one.kind == "request"][:2]
    assert "status 500" in failed.error
    assert (helped.error, failed.parent) == ("", helped.parent)


def test_prompt_is_the_one_that_was_sent(notes: Path) -> None:
    recorded(notes)
    trace = Trace.load("last")
    asked = next(one for one in trace.spans if one.kind == "ask")
    assert TEXT in trace.rendered(asked)
    assert trace.rendered(asked).startswith(trace.prompts[asked.body["prompt"]].system)


def test_file_holds_the_same(notes: Path, tmp_path: Path) -> None:
    recorded(notes)
    trace = Trace.load("last")
    trace.write(tmp_path / "run.json")
    assert Trace.read(tmp_path / "run.json").file == trace.file
    again = store(tmp_path / "elsewhere")
    again.add(Trace.read(tmp_path / "run.json").file)
    assert again.read("last").text().encode() == (tmp_path / "run.json").read_bytes()


async def test_run_that_is_cancelled_says_so() -> None:
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


def test_run_that_raises_says_so(notes: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with Reviser(Settings(corpus=notes)) as reviser:

        async def broken(start: object, run_id: str) -> None:
            raise RuntimeError("no memory")

        monkeypatch.setattr(reviser, "_run", broken)
        with pytest.raises(RuntimeError):
            reviser.revise(TEXT)
    trace = Trace.load("last")
    assert (trace.status, trace.file.error) == ("failed", "RuntimeError: no memory")


def test_file_that_lacks_what_it_speaks_of_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "run.json"
    path.write_text(file().model_copy(update={"revision": {"text": {"#": 9}}}).text())
    with pytest.raises(InputError, match="lacks its record 9"):
        Trace.read(path)
    path.write_text(file().model_copy(update={"revision": {"text": 1}}).text())
    with pytest.raises(InputError, match="is damaged"):
        Trace.read(path)
