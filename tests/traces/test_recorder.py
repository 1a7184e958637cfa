"""Tests what a recorder writes during a run, and what it must never write."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from rarr import Passage, Reviser, Revision, Settings, Trace
from rarr.testing import InMemoryRetriever
from rarr.traces.store import TraceStore

TEXT = "The Hoover Dam is 212 metres high."
FACT = "The Hoover Dam is 221 metres high."


class Notes(InMemoryRetriever):
    """Calls `first`, and then finds one passage."""

    def __init__(self, first: Any = None) -> None:
        super().__init__([FACT])
        self._first = first

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if self._first is not None:
            await self._first()
        return await super().retrieve(query, k)


def revised(notes: InMemoryRetriever | None = None, **settings: Any) -> Revision:
    with Reviser(Settings(search=notes or Notes(), **settings)) as reviser:
        return reviser.revise(TEXT)


def test_resume_does_not_take_another_text_of_the_same_run_id() -> None:
    with Reviser(Settings(search=Notes())) as first:
        first.revise("The Hoover Dam was built by Frank Crowe.", run_id="doc-1")
    with Reviser(Settings(search=Notes()), checkpointer=InMemorySaver()) as other:
        revision = other.revise(TEXT, run_id="doc-1")
        assert other.resume("doc-1").text == revision.text == FACT


def test_key_in_an_error_of_a_retriever_is_not_recorded() -> None:
    url = "https://api.example/search?api_key=SECRETKEY1234&q=dam"
    revision = revised(InMemoryRetriever(RuntimeError(f"GET {url}\nfailed")))
    file = Trace.load(revision.run_id).file.model_dump_json()
    assert "SECRETKEY1234" not in file + revision.model_dump_json()
    assert "api_key=***" in file
    [listed] = TraceStore().summaries()
    assert listed.status == "not checked" and "api_key=***" in listed.error


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no device that is always full")
def test_disk_that_gets_full_loses_the_trace_and_not_the_run(home: Path) -> None:
    def fill() -> None:
        [file] = (home / "traces").glob("*.jsonl")
        file.unlink()
        file.symlink_to("/dev/full")

    revision = revised(Notes(lambda: asyncio.to_thread(fill)))
    assert revision.text == FACT
    [warning] = revision.warnings
    assert warning.code == "trace_failed" and "No space left" in warning.message


async def test_cancelled_run_leaves_a_trace_that_says_so() -> None:
    asked = asyncio.Event()

    async def wait() -> None:
        asked.set()
        await asyncio.Event().wait()

    async with Reviser(Settings(search=Notes(wait))) as reviser:
        run = asyncio.create_task(reviser.arevise(TEXT, run_id="cancelled"))
        await asked.wait()
        run.cancel()
        with pytest.raises(asyncio.CancelledError):
            await run
    [run_seen] = await asyncio.to_thread(TraceStore().summaries)
    assert (run_seen.status, run_seen.error, run_seen.text) == ("failed", "cancelled", TEXT)
