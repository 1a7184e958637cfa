"""A batch reads rows of any format, writes each with its result, and goes on where an earlier run ended."""

import csv
import json
from pathlib import Path
from typing import Any

import pytest

from batches.conftest import RIGHT, WRONG, Batch, require_only_the_killer_fails
from rarr.batches.jobs import InProcessRunner
from rarr.batches.results import Columns
from rarr.batches.rows import input_rows
from rarr.errors import InputError, RarrError
from rarr.evals.run_folder import LOCK
from rarr.testing import RuleModel, ScriptedServer
from rarr.tools.storage.files import lock_file

CLOSED, TRUE = "The mill closed in 1936.", "The mill closed in 1937."
NAMES = ("Orrel", "Arden", "Calder", "Dovey")


def test_rows_keep_their_columns_and_order_and_get_their_results(batch: Batch) -> None:
    given = {"text": WRONG, "n": 1}, {"text": WRONG, "n": None, "tags": ["a"]}, {"text": RIGHT}
    lines = [*map(json.dumps, given[:2]), "broken", json.dumps(given[2])]
    batch.source.write_text("\n".join(lines))
    counts = batch.revise(full=True)
    first, second, wrong, last = batch.results()
    assert (first["n"], first["text"], first["rarr_text"], first["rarr_changed"]) == (1, WRONG, RIGHT, True)
    assert (second["tags"], second["rarr_text"], last["rarr_changed"]) == (["a"], RIGHT, False)
    assert (first["rarr_statuses"], first["rarr_error"]) == (["supported"], None)
    assert first["rarr_revision"]["edits"] and wrong["rarr_error"].startswith("it is no JSON object")
    assert batch.ran == [WRONG, RIGHT]  # equal rows are worked on once
    assert (counts.rows, counts.changed, counts.errors, counts.left) == (4, 2, 1, 0)
    assert counts.first_error.startswith("line 3: it is no JSON object")


def test_second_run_does_only_what_is_new(batch: Batch) -> None:
    batch.rows({"text": WRONG})
    batch.revise()
    assert not (batch.folder / "home" / "traces").exists()
    batch.rows({"text": "The Hoover Dam is 222 metres high."}, {"text": WRONG})
    batch.revise(batch.settings(serve_port=8123))
    assert batch.ran == [WRONG, "The Hoover Dam is 222 metres high."]
    assert [row["rarr_text"] for row in batch.results()] == [RIGHT, RIGHT]


@pytest.mark.parametrize("end", [KeyboardInterrupt, SystemExit])
def test_batch_interrupted_before_any_row_goes_on(
    batch: Batch, monkeypatch: pytest.MonkeyPatch, end: type[BaseException]
) -> None:
    class Interrupted(InProcessRunner):
        async def start(self) -> Any:
            raise end

    batch.rows({"text": WRONG})
    with monkeypatch.context() as patched, pytest.raises(end):
        patched.setattr("rarr.batches.file_batch.InProcessRunner", Interrupted)
        batch.revise()
    assert batch.results() == []
    batch.revise()
    assert [row["rarr_text"] for row in batch.results()] == [RIGHT]


@pytest.mark.slow
def test_row_that_kills_its_process_twice_costs_no_other_row_its_result(batch: Batch) -> None:
    require_only_the_killer_fails(batch, workers=2)


def test_sources_and_context_of_a_row_are_used(batch: Batch) -> None:
    flood = "after a flood in the valley"
    source = f"Orrel Mill closed in 1937 {flood}."
    batch.rows(
        {"answer": f"It closed in 1936 {flood}.", "asked": "When did Orrel Mill close?", "given": [source]},
        {"answer": CLOSED, "asked": None, "given": [{"text": TRUE, "url": None}]},
        {"answer": CLOSED, "asked": "", "given": '["The mill closed in 1937."]'},
    )
    batch.revise(columns=Columns("answer", "asked", "given"))
    texts = [row["rarr_text"] for row in batch.results()]
    assert texts == [f"It closed in 1937 {flood}.", TRUE, TRUE]


def test_call_while_another_writes_is_refused_and_leaves_the_folder_to_it(batch: Batch) -> None:
    batch.rows({"text": WRONG})
    folder = batch.folder / "out.jsonl.batch"
    refused = pytest.raises(InputError, match="is being written by another rarr batch: wait for it")
    with lock_file(folder / LOCK, ""), refused:
        batch.revise()
    assert [path.name for path in folder.iterdir()] == [LOCK] and not batch.out.exists()


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"text": RIGHT}], {"columns": Columns("answer")}, "no column 'answer': give one of 'text' as text"),
        ([{"text": RIGHT, "rarr_text": ""}], {}, "the column 'rarr_text' is a result of rarr batch"),
        ([], {}, "has no row"),
        ([{"text": RIGHT}], {"settings": {"model": "vllm:one"}, "max_cost": 1}, "price of vllm:one"),
        ([{"text": RIGHT}], {"settings": {"corpus": "none"}}, "corpus 'none' cannot be read"),
    ],
)
def test_input_that_cannot_be_used_is_refused_and_a_corrected_call_begins_afresh(
    rows: list[dict[str, Any]], options: dict[str, Any], message: str, batch: Batch
) -> None:
    batch.rows(*rows)
    settings = batch.settings(**options.pop("settings", {}))
    with pytest.raises(RarrError, match=message):
        batch.revise(settings, **options)
    assert batch.ran == [] and not batch.out.exists()
    batch.rows({"text": RIGHT})
    assert batch.revise(mode="check").rows == 1


def test_other_columns_and_other_records_are_refused(batch: Batch) -> None:
    batch.rows({"text": WRONG, "answer": RIGHT})
    batch.revise()
    written = batch.out.read_bytes()
    for now, what in (
        ({"mode": "check"}, "mode revise, not check"),
        ({"columns": Columns("answer")}, "--text text, not answer"),
        ({"full": True}, "--full off, not on"),
    ):
        with pytest.raises(InputError, match=f"with {what}: give another -o, or delete it and "):
            batch.revise(**now)
    assert batch.ran == [WRONG] and batch.out.read_bytes() == written


@pytest.mark.skipif(not Path("/dev/full").exists(), reason="has no device that is always full")
@pytest.mark.parametrize("name", ["out.jsonl", "out.csv", "out.parquet"])
def test_disk_that_is_full_at_the_end_keeps_the_results(name: str, batch: Batch) -> None:
    if name.endswith(".parquet"):
        pytest.importorskip("pyarrow")
    batch.out = batch.folder / name
    batch.rows({"text": RIGHT})
    batch.revise()
    earlier = batch.out.read_bytes()
    batch.rows({"text": RIGHT}, {"text": WRONG})
    batch.out.with_name(f"{name}.part").symlink_to("/dev/full")
    with pytest.raises(InputError, match=r"No space left.*writes what is"):
        batch.revise()
    assert batch.out.read_bytes() == earlier
    assert batch.revise().changed == 1 and batch.ran == [RIGHT, WRONG]


@pytest.mark.loopback
def test_limit_of_the_cost_counts_the_results_of_earlier_calls(batch: Batch) -> None:
    batch.rows(*({"text": f"The {name} Bridge opened in 1932."} for name in NAMES))
    for name in NAMES:
        page = f"# {name} Bridge\n\nTraffic first went over the {name} Bridge in 1936."
        (batch.folder / "corpus" / f"{name}.md").write_text(page)
    with ScriptedServer(RuleModel(), models=("one",)) as server:
        model = {"model": "vllm:one", "base_url": server.url, "concurrency": 1}
        settings = batch.settings(**model, endpoints={"vllm:one": {"price": (1.0, 1.0)}})
        first = batch.revise(settings, max_cost=1e-9)  # the first row costs more
        assert 0 < first.rows < len(NAMES) and first.left == len(NAMES) - first.rows
        assert first.cost and first.cost > 1e-9
        asked = len(server.requests)
        assert batch.revise(settings, max_cost=1e-9) == first and len(server.requests) == asked
        more = batch.revise(settings, max_cost=1.0)
    assert (more.rows, more.left) == (len(NAMES), 0)


ROWS = [{"text": 'Ümlaut, "quoted"\nand a line', "n": "1"}, {"text": "second", "n": "2"}]
CSV = '\ufefftext,n\n"Ümlaut, ""quoted""\nand a line",1\nsecond,2\n'


def test_long_cell_is_read_beside_one_without_a_name_which_is_no_context_or_source(tmp_path: Path) -> None:
    usual, text = csv.field_size_limit(), "c" * 200_000
    (tmp_path / "a.csv").write_text(f",text\n0,{text}\n")
    assert [Columns().row_or_problem(row) for row in input_rows(tmp_path / "a.csv")] == [(text, None, ())]
    assert csv.field_size_limit() == usual


@pytest.mark.parametrize("name", ["A.JSONL", "a.ndjson", "a.csv", "a.parquet"])
def test_every_format_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "a.parquet":
        parquet, table = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow").Table
        parquet.write_table(table.from_pylist(ROWS), path)
    else:
        lines = CSV if name == "a.csv" else "".join(json.dumps(row) + "\n" for row in ROWS)
        path.write_text(lines, encoding="utf-8")
    assert [row.columns for row in input_rows(path)] == ROWS


@pytest.mark.parametrize("line", [b"[1]", b"{", b'{"text": "\xff"}', b"[" * 100_000])
def test_line_that_is_no_row_has_a_problem_and_stops_no_other(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "a"}\n\n' + line + b'\n{"text": "b"}')
    first, wrong, last = input_rows(tmp_path / "a.jsonl")
    assert (first.columns, last.columns, last.place) == ({"text": "a"}, {"text": "b"}, "line 4")
    assert wrong.place == "line 3" and wrong.problem.startswith("it is no JSON object")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv.gz", b"", "no known ending"),
        ("a.csv", b"text\n\xff\n", "is no CSV in UTF-8 .*byte 0xff.*: save it as UTF-8"),
        ("a.csv", b'text,n\n"a,1\nb,2\n', "unexpected end of data.*: separate cells by commas, close each"),
        ("a.csv", b"id,id\n1,2\n", "two columns named 'id'"),
        ("a.parquet", b"text", "cannot be read"),
        ("none.jsonl", None, "No such file"),
    ],
)
def test_unreadable_file_is_an_error(name: str, data: bytes | None, message: str, tmp_path: Path) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=message):
        list(input_rows(tmp_path / name))
