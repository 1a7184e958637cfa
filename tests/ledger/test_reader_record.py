"""The record of a reader: when a reader is good or bad, and how much one document counts."""

from pathlib import Path

import pytest

from rarr.ledger.reader_record import ReaderRecord, Standing
from rarr.records.base import Controls

ALL, NONE = Controls(planted=3, caught=3, repeated=1, confirmed=1), Controls(planted=3, repeated=1)


@pytest.mark.parametrize(
    ("caught", "missed", "hostile", "expected"),
    [
        (15, 0, 0, "good"),
        (14, 0, 0, "unknown"),
        (0, 6, 0, "bad"),
        (6, 0, 1, "unknown"),
        (6, 0, 30, "unknown"),
    ],
)
def test_one_hostile_document_makes_no_reader_bad(
    caught: int, missed: int, hostile: int, expected: Standing, tmp_path: Path
) -> None:
    record = ReaderRecord(tmp_path, ["model", "server"])
    record.add_result("model-1", fit_for="edits")
    for source, controls in [*enumerate([ALL] * caught + [NONE] * missed), *[("hostile", NONE)] * hostile]:
        record.add_result("model-1", language="en", controls=controls, source=f"{source}.md")
    assert ReaderRecord(tmp_path, ["model", "server"]).standing("en") == expected
    assert {it.stat().st_mode & 0o077 for it in tmp_path.iterdir()} == {0}


def test_reader_that_its_last_exam_finds_unfit_is_bad(tmp_path: Path) -> None:
    for fit_for in ("nothing", "suggestions", "nothing"):
        ReaderRecord(tmp_path, ["model"]).add_result("model-1", fit_for=fit_for)
        assert ReaderRecord(tmp_path, ["model"]).standing("en") == (
            "bad" if fit_for == "nothing" else "unknown"
        )
