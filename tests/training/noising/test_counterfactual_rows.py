"""Counterfactual rows: the passage says the error, and the text that has the error becomes the right one."""

from datetime import UTC, datetime
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.records import Evidence
from rarr.training.noising.counterfactual_rows import counterfactual, write_with_counterfactuals
from rarr.training.noising.row_files import Mistake, SentenceScore, TrainingRow, corrupted, rows

TEXT = "The mill of Oru opened in 1937. It is made of red bricks."


def training_row(n: int = 0, passage: str = "It was in 1937 that the mill of Oru opened.") -> TrainingRow:
    right = Mistake(start=TEXT.index("1937"), right="1937", wrong="the year 1950", kind="date")
    evidence = Evidence(
        id="e1", query_id="q1", text=passage, source=f"mill{n}.md", start=5, end=5 + len(passage),
        relevance=1.0, retrieved_at=datetime(2026, 1, 1, tzinfo=UTC),
    )  # fmt: skip
    return TrainingRow(
        query=f"When did mill {n} open?", summary=TEXT, corrupted=corrupted(TEXT, (right,)), edits=(right,),
        relevant=(evidence,), others=(), model="m", verifier="v", prompts={},
        scores=(
            SentenceScore(start=0, end=31, evidence_id="e1", support=0.9, corrupted=0.1),
            SentenceScore(start=32, end=len(TEXT), evidence_id="e1", support=0.9, corrupted=0.9),
        ),
    )  # fmt: skip


def test_passage_and_text_change_sides() -> None:
    row = training_row()
    turned = counterfactual(row)
    assert turned is not None
    assert turned.relevant[0].text == "It was in the year 1950 that the mill of Oru opened."
    assert turned.relevant[0].end == 5 + len(turned.relevant[0].text)
    assert (turned.summary, turned.corrupted) == (row.corrupted, row.summary)
    assert corrupted(turned.summary, turned.edits) == turned.corrupted
    assert [turned.summary[s.start : s.end] for s in turned.scores][1] == "It is made of red bricks."


@pytest.mark.parametrize("passage", ["The mill opened long ago.", "In 1937, not the year 1950, it opened."])
def test_row_without_a_safe_place_gives_none(passage: str) -> None:
    assert counterfactual(training_row(passage=passage)) is None


def test_new_rows_are_a_quarter_and_the_seed_draws_them(tmp_path: Path) -> None:
    data = tmp_path / "rows.jsonl"
    data.write_bytes(b"".join(training_row(n).line() for n in range(6)))
    report = write_with_counterfactuals(data, tmp_path / "one.jsonl", share=0.25, seed=1)
    assert (report.rows, report.possible, report.written) == (6, 6, 2)
    assert len(list(rows(tmp_path / "one.jsonl"))) == 8
    write_with_counterfactuals(data, tmp_path / "two.jsonl", share=0.25, seed=1)
    assert (tmp_path / "one.jsonl").read_bytes() == (tmp_path / "two.jsonl").read_bytes()


def test_existing_file_and_impossible_share_are_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="share is 1"):
        write_with_counterfactuals(tmp_path / "rows.jsonl", tmp_path / "out.jsonl", share=1, seed=1)
    (tmp_path / "out.jsonl").touch()
    with pytest.raises(InputError, match="exists"):
        write_with_counterfactuals(tmp_path / "rows.jsonl", tmp_path / "out.jsonl", share=0.25, seed=1)
