"""The counts of a batch tell rows apart by what became of them."""

from typing import Any

from rarr.batches.column_mapping import error_columns
from rarr.batches.counts import BatchCounts, Counting


def counts(*rows: dict[str, Any]) -> BatchCounts:
    counting = Counting()
    for number, row in enumerate(rows, start=1):
        counting.add(error_columns("") | row, f"row {number}")
    return counting.counts(left=0)


def test_failed_row_with_an_open_sentence_is_counted_as_an_error_alone() -> None:
    total = counts(
        {"rarr_statuses": ["unconfirmed"], "rarr_error": "no model"}, {"rarr_statuses": ["unconfirmed"]}
    )
    assert (total.rows, total.unconfirmed, total.errors) == (2, 1, 1)
    assert total.first_error == "row 1: no model"
