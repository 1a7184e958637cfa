"""The store of traces: what goes in comes out, names, limits, and stores that are not what they should be."""

import stat
import time
from collections.abc import Callable
from concurrent.futures import ProcessPoolExecutor
from hashlib import sha256
from multiprocessing import get_context
from pathlib import Path
from typing import Any

import pytest

from rarr import Reviser, Settings
from rarr.errors import InputError
from rarr.traces.store import DAY_S, SCHEMA, TraceStore, page_path
from rarr.traces.trace_file import TraceFile
from traces.helpers import TEXT, facts, file, filled, recorded, row, span, store


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
    made = filled(tmp_path, "abc1", "abd2")
    if " " not in found:
        assert made.resolve(word) == found
        return
    with pytest.raises(InputError, match=found):
        made.resolve(word)
    with pytest.raises(InputError, match="no trace of a run"):  # only whole names are read and removed
        made.remove([word])


def test_file_is_private_to_its_owner(tmp_path: Path) -> None:
    filled(tmp_path, "a")
    assert stat.S_IMODE((tmp_path / "traces.sqlite").stat().st_mode) == 0o600


def test_old_runs_are_pruned(tmp_path: Path) -> None:
    made = filled(tmp_path, "old", stored=0.0)
    filled(tmp_path, "new", stored=2 * DAY_S)
    assert made.prune(days=1, max_bytes=1e9, now=2 * DAY_S) == 1
    assert made.names() == ["new"]


def test_oldest_runs_are_pruned_down_to_the_size_limit(tmp_path: Path) -> None:
    made = filled(tmp_path, "a", "b", "c")
    run = made.begin("d", 1.0, facts("x" * 100_000))
    made.finish(run, 1.0, "", "[]", None)
    size = made.size()
    assert made.prune(days=1e9, max_bytes=size - 1) == 4  # the large one is the newest
    assert made.size() < size


def test_removed_run_frees_disk_space(tmp_path: Path) -> None:
    made = filled(tmp_path, "a")
    made.finish(made.begin("b", 1.0, facts("x" * 1_000_000)), 1.0, "", "[]", None)
    before = made.size()
    assert made.remove(["b"]) == 1
    made.shrink()
    assert made.size() < before / 5
    assert b"xxxx" not in (tmp_path / "traces.sqlite").read_bytes()


def test_no_run_is_removed_where_a_name_is_unknown(tmp_path: Path) -> None:
    made = filled(tmp_path, "a")
    with pytest.raises(InputError, match="'b'"):
        made.remove(["a", "b"])
    assert made.names() == ["a"]


def test_late_writes_of_a_removed_run_reach_no_other_run(tmp_path: Path) -> None:
    made = store(tmp_path)
    gone = made.begin("gone", 1.0, facts())
    made.remove(["gone"])
    made.begin("next", 1.0, facts())
    with pytest.raises(InputError, match="removed while it was under way"):
        made.write(gone, [row()], {})
    assert made.read("next").spans == []


def test_existing_run_is_not_added_again(tmp_path: Path) -> None:
    made = store(tmp_path)
    made.add(file())
    with pytest.raises(InputError, match="rarr trace prune run-1 removes it"):
        made.add(file())


def test_run_is_added_whole_or_not_at_all(tmp_path: Path) -> None:
    made = store(tmp_path)
    with pytest.raises(UnicodeEncodeError):  # which SQLite raises
        made.add(file(spans=[span(), span(2, error="\ud800")]))
    assert made.names() == []
    with made.used() as sqlite:
        assert not sqlite.execute("SELECT * FROM spans").fetchall()


def prompt(system: str) -> dict[str, Any]:
    return {"name": "edit", "version": "1", "variables": [], "output": {}, "system": system, "user": "u"}


def test_each_run_keeps_its_own_prompts(tmp_path: Path) -> None:
    made = store(tmp_path)
    for name in ("theirs", "mine"):
        made.add(TraceFile(**{**dict(file(name)), "prompts": {"hash": prompt(name)}}))
    assert made.read("mine").prompts == {"hash": prompt("mine")}
    assert made.read("theirs").prompts == {"hash": prompt("theirs")}


@pytest.mark.parametrize("remove", [lambda store: store.remove(["a", "b"]), TraceStore.remove_all])
def test_removed_runs_leave_no_rows(tmp_path: Path, remove: Callable[[TraceStore], int]) -> None:
    made = store(tmp_path)
    for name in ("a", "b"):
        made.add(TraceFile(**{**dict(file(name, [span()])), "prompts": {"hash": prompt(name)}}))
    assert remove(made) == 2
    with made.used() as sqlite:
        tables = ("runs", "spans", "prompts")
        counts = [sqlite.execute(f"SELECT count(*) FROM {table}").fetchone()[0] for table in tables]
    assert counts == [0, 0, 0]


@pytest.mark.parametrize(
    "remove",
    [
        lambda store: store.remove(["a"]),
        TraceStore.remove_all,
        lambda store: store.prune(days=0, max_bytes=1e9),
        lambda store: store.prune(days=1, max_bytes=0),
    ],
    ids=["by name", "all", "by age", "by size"],
)
def test_page_is_removed_with_its_run(tmp_path: Path, remove: Callable[[TraceStore], int]) -> None:
    made = filled(tmp_path, "a", stored=time.time() - 1)
    page = page_path(tmp_path, "a")
    page.parent.mkdir()
    page.write_text("what was said")
    assert remove(made) == 1
    assert not page.exists()


def test_run_whose_page_cannot_be_removed_stays(tmp_path: Path) -> None:
    made = filled(tmp_path, "a")
    page_path(tmp_path, "a").mkdir(parents=True)
    with pytest.raises(InputError, match=r"a\.html cannot be removed"):
        made.remove_all()
    assert made.names() == ["a"]


def test_run_is_read_from_one_snapshot(tmp_path: Path) -> None:
    made, other = filled(tmp_path, "a"), store(tmp_path)

    def removing(statement: str) -> None:
        if "FROM spans" in statement:
            other.remove_all()

    with made.used() as sqlite:
        sqlite.set_trace_callback(removing)
    assert len(made.read("a").spans) == 1
    assert made.names() == []


def test_changed_tables_need_a_new_format_number() -> None:
    """Who changes them gives them the next number, and its digest here."""
    digest = sha256(SCHEMA.tables.encode()).hexdigest()[:16]
    assert (SCHEMA.format, digest) == (2, "df0bc1bea474aa2e")


def write_runs(folder: str, name: str) -> None:
    with_runs = TraceStore(Path(folder, "traces.sqlite"))
    for number in range(20):
        run = with_runs.begin(f"{name}{number}", 1.0, facts())
        with_runs.write(run, [row()], {})
        with_runs.finish(run, 1.0, "", "[]", None)
    with_runs.close()


@pytest.mark.slow
def test_two_processes_write_at_once(tmp_path: Path) -> None:
    with ProcessPoolExecutor(2, mp_context=get_context("spawn")) as pool:
        list(pool.map(write_runs, [str(tmp_path)] * 2, "ab"))
    made = store(tmp_path)
    assert len(made.names()) == 40
    assert all(len(made.read(name).spans) == 1 for name in made.names())


@pytest.mark.parametrize("content", [b"SQLite format 3\0" + b"\xff" * 4000, b"A letter. " * 500])
def test_damaged_file_is_refused_and_left_as_it_is(tmp_path: Path, content: bytes) -> None:
    path = tmp_path / "traces.sqlite"
    path.write_bytes(content)
    with pytest.raises(InputError, match="damaged or not a trace store"):
        TraceStore(path)
    assert path.read_bytes() == content


def test_run_continues_without_a_writable_trace_folder(notes: Path, home: Path) -> None:
    home.mkdir()
    (home / "traces.sqlite").write_bytes(b"A letter. " * 500)
    with Reviser(Settings(corpus=notes)) as reviser:
        revision = reviser.revise(TEXT)
    assert revision.changed
    assert [warning.code for warning in revision.warnings] == ["trace_failed"]


@pytest.mark.parametrize("pages", [0, 1], ids=["at once", "later"])
def test_run_continues_on_a_full_disk(notes: Path, pages: int) -> None:
    with Reviser(Settings(corpus=notes)) as reviser:
        assert reviser._traces
        with reviser._traces.store.used() as sqlite:
            count = sqlite.execute("PRAGMA page_count").fetchone()[0]
            sqlite.execute(f"PRAGMA max_page_count = {count + pages}")
        more = " ".join(f"Arch {n} was painted in {1700 + n}." for n in range(12))  # what no page holds
        revision = reviser.revise(f"{TEXT} {more}")
    assert revision.changed
    assert [warning.code for warning in revision.warnings] == ["trace_failed"]
    assert "full" in revision.warnings[0].message


@pytest.mark.loopback
def test_no_secret_is_in_the_file(notes: Path, home: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-first-secret")
    secrets = ["first-secret", "second-secret", "third-secret", "fourth-secret", "fifth-secret"]
    endpoint = {"api_key": "third-secret", "extra": {"api_key": "fourth-secret", "top_k": 3}}
    with_password = {"base_url": "http://me:fifth-secret@127.0.0.1:1/v1"}
    endpoints = {"vllm:scripted": endpoint, "vllm:other": with_password}
    reviser = Reviser(
        Settings(
            corpus=notes, model="vllm:scripted", fallbacks=["vllm:other"],
            api_key="second-secret", endpoints=endpoints, base_url="http://me:fifth-secret@127.0.0.1:1/v1",
        )
    )  # fmt: skip
    reviser.revise(TEXT)
    held = b"".join(file.read_bytes() for file in home.glob("traces.sqlite*"))
    reviser.close()
    assert b"top_k" in held
    assert [secret for secret in secrets if secret.encode() in held] == []


@pytest.mark.loopback
def test_listed_run_has_the_counts_of_its_revision(notes: Path, home: Path) -> None:
    revision = recorded(notes)
    (listed,) = store(home).list()
    used = revision.usage
    assert (listed.run_id, listed.status) == (revision.run_id, "done")
    assert (listed.calls, listed.tokens) == (used.model_calls, used.input_tokens + used.output_tokens)
    assert listed.edits == sum(edit.accepted for edit in revision.edits) == 1
