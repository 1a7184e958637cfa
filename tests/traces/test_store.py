"""Tests the store of traces: names of runs, limits, secrets, and folders that cannot be written."""

import stat
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from rarr import Reviser, Settings
from rarr.errors import InputError
from rarr.traces.store import DAY_S, TraceStore, trace_page_path
from traces.helpers import TEXT, file, filled_store


@pytest.mark.parametrize(
    ("word", "found"),
    [
        ("abc", "abc1"),
        ("abd2", "abd2"),
        ("last", "abd2"),
        ("ab", "several runs begin with 'ab'"),
        ("", "rarr trace list names them"),
        ("x", "no trace of a run 'x'"),
    ],
)
def test_run_is_found_by_the_beginning_of_its_name(tmp_path: Path, word: str, found: str) -> None:
    store = filled_store(tmp_path, "abc1", "abd2")
    if " " not in found:
        assert store.full_run_id(word) == found
        return
    with pytest.raises(InputError, match=found):
        store.full_run_id(word)
    with pytest.raises(InputError, match="no trace of a run"):  # only whole names are read and removed
        store.remove_runs([word])


def test_file_is_private_and_listed_beside_unreadable_ones(tmp_path: Path, monkeypatch: Any) -> None:
    store = filled_store(tmp_path, "a")
    assert stat.S_IMODE((tmp_path / "traces" / "a.jsonl").stat().st_mode) == 0o600
    store.add_trace(file("c").model_copy(update={"seconds": None}))
    (tmp_path / "traces" / "b.jsonl").write_text('{"run":{"format":2}}\n')
    names = [*store.run_names(), "d"]
    monkeypatch.setattr(store, "run_names", lambda: names)
    expected = [("a", "done"), ("b", "unreadable"), ("c", "unfinished"), ("d", "unreadable")]
    assert sorted((it.run_id, it.status) for it in store.summaries()) == expected


def test_clock_that_jumps_for_less_than_a_day_removes_no_run(tmp_path: Path) -> None:
    limits: Any = {"days": 30, "max_bytes": 1e9}
    store = filled_store(tmp_path, "old", written=0.0)
    filled_store(tmp_path, "later", written=20 * DAY_S)
    assert store.prune(**limits, now=4000 * DAY_S) == 0
    filled_store(tmp_path, "jumped", written=4000 * DAY_S)
    assert store.prune(**limits, now=4000.9 * DAY_S) == store.prune(**limits, now=21 * DAY_S) == 0
    assert store.prune(**limits, now=4001 * DAY_S) == 2


@pytest.mark.parametrize("by", [lambda it: it.remove_runs(["a"]), lambda it: it.prune(days=1, max_bytes=0)])
def test_page_is_removed_with_its_run(tmp_path: Path, by: Callable[[TraceStore], int]) -> None:
    store = filled_store(tmp_path, "a", written=time.time() - 1)
    page = trace_page_path(tmp_path, "a")
    page.parent.mkdir()
    page.write_text("what was said")
    assert by(store) == 1
    assert not page.exists()


def test_run_continues_without_a_writable_trace_folder(notes: Path, home: Path) -> None:
    home.mkdir()
    (home / "traces").write_bytes(b"A letter.")
    with Reviser(Settings(corpus=notes)) as reviser:
        revision = reviser.revise(TEXT)
    assert revision.changed
    assert [warning.code for warning in revision.warnings] == ["trace_failed"]


@pytest.mark.loopback
def test_no_secret_is_in_the_file(notes: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-first-secret")
    secrets = [f"{number}-secret" for number in ("first", "second", "third", "fourth", "fifth", "sixth")]
    endpoint = {"api_key": "third-secret", "extra": {"headers": {"X-Auth": "fourth-secret"}}}
    with_password = {"base_url": "http://me:fifth-secret@127.0.0.1:1/v1"}
    endpoints = {"vllm:scripted": endpoint, "vllm:other": with_password}
    access: Any = {"base_url": "http://127.0.0.1:1/v1?api_key=sixth-secret&x=1", "api_key": "second-secret"}
    models: Any = {"model": "vllm:scripted", "fallbacks": ["vllm:other"], "endpoints": endpoints}
    with Reviser(corpus=notes, published_after="2020", **access, **models) as reviser:
        reviser.revise(TEXT)
    held = b"".join(file.read_bytes() for file in home.glob("traces/*"))
    assert b"vllm:other" in held and b"2020-01-01T00:00:00+00:00" in held
    assert [secret for secret in secrets if secret.encode() in held] == []
