"""What a run does where its trace cannot do what it should, and what a trace must not hold."""

import asyncio
import contextlib
import sqlite3
import time
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import Any

import pytest
from langgraph.checkpoint.memory import InMemorySaver

from rarr import Passage, Reviser, Revision, Settings, Trace
from rarr.traces.recording_and_resuming import settings_record
from rarr.traces.trace_reader import store_path

TEXT = "The Hoover Dam is 212 metres high."
FACT = "The Hoover Dam is 221 metres high."


class Notes:
    """Finds one passage, after doing what it is told to."""

    offline = True

    def __init__(self, first: Any = None) -> None:
        self._first = first

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if self._first is not None:
            await self._first()
        now = datetime.now(UTC)
        return [Passage(text=FACT, source="notes", start=0, end=len(FACT), retrieved_at=now)]


def revised(notes: Notes | None = None, **settings: Any) -> Revision:
    with Reviser(Settings(search=notes or Notes(), **settings)) as reviser:
        return reviser.revise(TEXT)


def test_resume_does_not_take_another_text_of_the_same_run_id() -> None:
    with Reviser(Settings(search=Notes())) as first:
        first.revise("The Hoover Dam was built by Frank Crowe.", run_id="doc-1")
    with Reviser(Settings(search=Notes()), checkpointer=InMemorySaver()) as other:
        revision = other.revise(TEXT, run_id="doc-1")
        assert other.resume("doc-1").text == revision.text == FACT


@pytest.mark.parametrize("locked_s", [0.4, 30.0])
def test_run_does_not_wait_for_a_locked_trace_file(locked_s: float) -> None:
    revised()
    other = sqlite3.connect(store_path(), isolation_level=None, check_same_thread=False)
    other.execute("BEGIN IMMEDIATE")

    def unlock() -> None:
        with contextlib.suppress(sqlite3.ProgrammingError):  # the run was faster, and the test closed it
            other.execute("ROLLBACK")

    async def unlock_later() -> None:
        if locked_s < 1:
            asyncio.get_running_loop().call_later(locked_s, unlock)

    with Reviser(Settings(search=Notes(unlock_later))) as reviser:
        started = time.perf_counter()
        revision = reviser.revise(TEXT)
        assert time.perf_counter() - started < 5
    assert revision.text == FACT
    assert {warning.code for warning in revision.warnings} == {"trace_failed"}
    other.close()


def test_run_within_a_run_has_a_trace_of_its_own() -> None:
    inner: list[Revision] = []

    async def revise_too() -> None:
        async with Reviser(Settings(search=Notes())) as reviser:
            inner.append(await reviser.arevise(TEXT))

    outer = revised(Notes(revise_too), rounds=1)
    for run_id in (outer.run_id, *(revision.run_id for revision in inner)):
        trace = Trace.load(run_id)
        numbers = {span.number for span in trace.spans}
        assert {span.parent for span in trace.spans} <= {0, *numbers}
        assert next(span.name for span in trace.spans if not span.parent) == "generate_queries"


def test_keys_in_addresses_and_headers_are_not_recorded() -> None:
    endpoint = {"extra": {"headers": {"X-Auth": "ZZSECRET"}, "api_key": "ZZSECRET", "top_k": 3}}
    settings = Settings(
        model="vllm:a", base_url="http://h/v1?api_key=ZZSECRET&x=1", endpoints={"vllm:a": endpoint}
    )
    assert "ZZSECRET" not in str(settings_record(settings))
    assert settings_record(settings)["endpoints"]["vllm:a"]["extra"] == {"top_k": 3}


def test_key_in_an_error_of_a_retriever_is_not_recorded() -> None:
    async def fail() -> None:
        raise RuntimeError("GET https://api.example/search?api_key=SECRETKEY1234&q=dam\nfailed")

    revision = revised(Notes(fail))
    file = Trace.load(revision.run_id).file.model_dump_json()
    assert "SECRETKEY1234" not in file + revision.model_dump_json()
    assert "api_key=***" in file
