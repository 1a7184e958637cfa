"""A bad input or output of a batch is one line that names the cure, and costs no other row its result."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from batches.batch_folder import RIGHT, WRONG, Batch
from rarr.batches.columns import Columns
from rarr.batches.result_store import Expected, ResultStore
from rarr.errors import InputError


def test_row_that_cannot_be_used_has_an_error_and_stops_no_other(batch: Batch) -> None:
    batch.source.write_text('{"text": ""}\n\nbroken\n{"text": 3}\n' + json.dumps({"text": WRONG}))
    report = batch.revise()
    assert report.wrong_rows == [
        "row 1: its 'text' is empty: give a text",
        "row 2 (line 3): it is not JSON (Expecting value, at character 1): put one JSON object on each line",
        "row 3 (line 4): its 'text' is an int: give a text",
    ]
    assert [bool(row["rarr_error"]) for row in batch.results()] == [True, True, True, False]
    assert (report.counts.rows, report.counts.errors) == (4, 3)


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"text": RIGHT}], {"columns": Columns("answer")}, "no column 'answer': give one of 'text' as text"),
        ([{"text": RIGHT, "rarr_text": ""}], {}, "the column 'rarr_text' is a result of rarr batch"),
        ([], {}, "has no row"),
    ],
)
def test_input_that_cannot_be_used_is_refused_before_anything_is_spent(
    rows: list[dict[str, Any]], options: dict[str, Any], message: str, batch: Batch
) -> None:
    batch.rows(*rows)
    with pytest.raises(InputError, match=message):
        batch.revise(**options)
    assert batch.ran == [] and not batch.out.exists()


def test_output_of_something_else_is_not_overwritten(batch: Batch) -> None:
    batch.rows({"text": RIGHT})
    batch.out.write_text("mine")
    with pytest.raises(InputError, match="no batch has written it"):
        batch.revise()
    assert batch.out.read_text() == "mine"


@pytest.mark.parametrize(
    ("before", "now", "what"),
    [
        ({}, {"mode": "check"}, "mode revise, not check"),
        ({}, {"columns": Columns("answer")}, "--text text, not answer"),
        ({}, {"columns": Columns(context="answer")}, "--context none, not answer"),
        ({}, {"full": True}, "--full off, not on"),
    ],
)
def test_other_columns_and_other_records_are_refused(
    before: dict[str, Any], now: dict[str, Any], what: str, batch: Batch
) -> None:
    batch.rows({"text": WRONG, "answer": RIGHT})
    batch.revise(**before)
    written = batch.out.read_bytes()
    with pytest.raises(InputError, match=f"with {what}: give another -o, or delete this folder"):
        batch.revise(**now)
    assert batch.ran == [WRONG] and batch.out.read_bytes() == written


def test_column_with_several_types_is_kept_as_json(batch: Batch) -> None:
    parquet = pytest.importorskip("pyarrow.parquet")
    batch.out = batch.folder / "out.parquet"
    batch.rows({"text": RIGHT, "n": 1}, {"text": WRONG, "n": "one"}, {"text": RIGHT, "n": None})
    batch.revise()
    assert parquet.read_table(batch.out).column("n").to_pylist() == ["1", '"one"', None]


def test_row_that_lacks_a_column_stops_no_other(batch: Batch) -> None:
    batch.source.write_text('broken\n{"note": "a"}\n' + json.dumps({"text": WRONG, "given": [RIGHT]}))
    _, second = batch.revise(columns=Columns(sources="given")).wrong_rows
    assert second == "row 2: it has no column 'text': give a text"
    assert [row["rarr_text"] for row in batch.results()] == [None, None, RIGHT]


def test_full_disk_is_one_line_and_the_next_run_continues(
    batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    expect = ResultStore.expect

    def expect_and_fill(store: ResultStore, digests: Iterator[bytes]) -> Expected:
        expected = expect(store, digests)
        with store._used() as sqlite:  # no page more, as on a full disk
            sqlite.execute(f"PRAGMA max_page_count = {sqlite.execute('PRAGMA page_count').fetchone()[0]}")
        return expected

    batch.rows({"text": RIGHT})
    with monkeypatch.context() as patch, pytest.raises(InputError, match=r"disk is full.*which continues"):
        patch.setattr(ResultStore, "expect", expect_and_fill)
        batch.revise(full=True)
    assert not batch.out.exists()
    assert batch.revise(full=True).counts.errors == 0 and batch.results()


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
    assert batch.revise().counts.changed == 1 and batch.ran == [RIGHT, WRONG]
