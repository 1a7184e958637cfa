"""A column of a file is looked for in its first rows, and a row that lacks it stops no other row."""

import json
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest

from batches.batch_folder import RIGHT, WRONG, Batch
from rarr.batches import column_check
from rarr.batches.column_mapping import Columns
from rarr.batches.input_rows import InputRow
from rarr.batches.stream_batch import revise_stream
from rarr.errors import InputError


def test_first_row_may_lack_a_column_of_the_call(batch: Batch) -> None:
    batch.rows({"text": RIGHT}, {"text": WRONG, "given": [RIGHT]})
    batch.revise(columns=Columns(sources="given"))
    assert [row["rarr_text"] for row in batch.results()] == [RIGHT, RIGHT]


def test_first_row_without_a_text_stops_no_other(batch: Batch) -> None:
    batch.rows({"note": "a"}, {"text": WRONG})
    report = batch.revise()
    assert report.wrong_rows == ["row 1: it has no column 'text': give a text"]
    assert [row["rarr_text"] for row in batch.results()] == [None, RIGHT]


def test_column_that_none_of_the_first_rows_has_is_refused(
    batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(column_check, "FIRST_ROWS", 2)
    batch.rows({"text": RIGHT}, {"n": 1}, {"key": "a"})
    message = "no column 'key' in the first 2 rows: give one of 'text', 'n' as id"
    with pytest.raises(InputError, match=message):
        batch.revise(columns=Columns(id="key"))
    assert batch.ran == []


def streamed(batch: Batch, source: BytesIO | Path, columns: Columns) -> tuple[list[Any], list[str]]:
    """Returns the texts of the results of a pipe, and the warnings."""
    lines, warnings = list[bytes](), list[str]()
    revise_stream(
        source,
        lambda line: lines.append(line) or True,  # type: ignore[func-returns-value]
        settings=batch.settings(),
        columns=columns,
        workers=0,
        ordered=True,
        on_warning=warnings.append,
    )
    return [json.loads(line)["rarr_text"] for line in lines], warnings


def test_first_row_of_a_pipe_may_lack_columns(batch: Batch) -> None:
    rows = [{"note": "a"}, {"text": RIGHT}, {"text": WRONG, "given": [RIGHT]}]
    pipe = BytesIO("".join(json.dumps(row) + "\n" for row in rows).encode())
    texts, warnings = streamed(batch, pipe, Columns(sources="given"))
    assert texts == [None, RIGHT, RIGHT]
    assert warnings == ["row 1: it has no column 'text': give a text"]


def test_column_that_no_row_of_a_pipe_has_is_told_at_its_end(batch: Batch) -> None:
    pipe = BytesIO(json.dumps({"text": WRONG}).encode())
    assert streamed(batch, pipe, Columns(context="asked")) == (
        [RIGHT],
        ["no row has the column 'asked', given as context"],
    )


def test_row_of_a_pipe_with_a_column_of_a_result_stops_no_other(batch: Batch) -> None:
    pipe = BytesIO(b'{"text": "a", "rarr_text": "b"}\n' + json.dumps({"text": WRONG}).encode())
    texts, [warning] = streamed(batch, pipe, Columns())
    assert texts == [None, RIGHT] and warning.startswith("row 1: the column 'rarr_text' is a result")


def test_value_in_the_column_of_a_result_is_kept() -> None:
    [row] = column_check.without_results([InputRow(1, {"text": "a", "rarr_text": "b"})])
    assert (row.columns, row.unread) == ({"text": "a"}, '{"rarr_text": "b"}')


def test_column_of_a_file_into_a_pipe_is_looked_for(batch: Batch) -> None:
    batch.rows({"text": RIGHT})
    with pytest.raises(InputError, match="no column 'asked': give one of 'text' as context"):
        streamed(batch, batch.source, Columns(context="asked"))
