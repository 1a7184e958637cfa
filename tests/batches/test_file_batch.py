"""A batch writes each row with its result, and continues from what an earlier run has done."""

import json
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rarr import Settings
from rarr.batches import batch_runner, file_batch
from rarr.batches.column_mapping import Columns
from rarr.batches.file_batch import BatchLimits, BatchReport, revise_file
from rarr.batches.result_store import Expected, ResultStore
from rarr.errors import InputError
from rarr.serve.in_process import InProcess
from rarr.serve.job_and_runner import Job, WorkerLostError

CLOSED, TRUE = "The mill closed in 1936.", "The mill closed in 1937."
RIGHT, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."


class Batch:
    """A folder with a corpus and an input, of which batches are made."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.source, self.out = folder, folder / "in.jsonl", folder / "out.jsonl"
        (folder / "corpus").mkdir()
        (folder / "corpus" / "dam.md").write_text(f"# Hoover Dam\n\n{RIGHT}\n")
        self.ran: list[str] = []

    def rows(self, *rows: dict[str, Any]) -> None:
        self.source.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def made(self, **options: Any) -> BatchReport:
        settings = Settings(
            serve_corpora={"other": self.folder / "missing"},  # is for rarr serve alone
            model="rules",
            reranker="overlap",
            corpus=self.folder / "corpus",
            home=self.folder / "home",
            trace=False,
        )
        return revise_file(self.source, self.out, settings=settings, workers=0, **options)

    def results(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.read_text().splitlines()]


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    made = Batch(tmp_path)

    class Watched(InProcess):
        async def run(self, job: Job, on_step: Any = None) -> Any:
            made.ran.append(job.text)
            return await super().run(job, on_step)

    monkeypatch.setattr(batch_runner, "InProcess", Watched)
    return made


def test_rows_keep_their_columns_and_order_and_get_their_results(batch: Batch) -> None:
    batch.rows({"text": WRONG, "n": 1}, {"text": RIGHT, "n": None, "tags": ["a"]})
    report = batch.made()
    first, second = batch.results()
    assert (first["n"], first["text"], first["rarr_text"], first["rarr_changed"]) == (1, WRONG, RIGHT, True)
    assert (second["tags"], second["rarr_text"], second["rarr_changed"]) == (["a"], RIGHT, False)
    assert first["rarr_statuses"] == second["rarr_statuses"] == ["supported"]
    assert first["rarr_error"] is None and "rarr_revision" not in first
    assert (report.counts.rows, report.counts.changed, report.counts.errors, report.counts.left) == (
        2,
        1,
        0,
        0,
    )


def test_equal_rows_are_worked_on_once(batch: Batch) -> None:
    batch.rows({"text": WRONG, "n": 1}, {"text": WRONG, "n": 2})
    batch.made()
    assert batch.ran == [WRONG]
    assert [(row["n"], row["rarr_text"]) for row in batch.results()] == [(1, RIGHT), (2, RIGHT)]


def test_second_run_does_only_what_is_new(batch: Batch) -> None:
    batch.rows({"text": WRONG})
    batch.made()
    batch.rows({"text": "The Hoover Dam is 222 metres high."}, {"text": WRONG})
    batch.made()
    assert batch.ran == [WRONG, "The Hoover Dam is 222 metres high."]
    assert [row["rarr_text"] for row in batch.results()] == [RIGHT, RIGHT]


def test_results_without_a_row_are_told_and_kept(batch: Batch) -> None:
    batch.rows({"text": WRONG}, {"text": RIGHT})
    batch.made()
    batch.rows({"text": RIGHT})
    assert batch.made().notes[0].startswith("the input lacks the rows of 1 earlier result, which stay in")
    batch.rows({"text": WRONG}, {"text": RIGHT})
    batch.made()
    assert sorted(batch.ran) == sorted([WRONG, RIGHT])


def test_row_that_cannot_be_used_has_an_error_and_stops_no_other(batch: Batch) -> None:
    batch.source.write_text('{"text": ""}\nbroken\n{"text": 3}\n' + json.dumps({"text": WRONG}))
    report = batch.made()
    assert report.wrong_rows == [
        "row 1: its 'text' is empty: give a text",
        "row 2: it is not JSON (Expecting value, at character 1)",
        "row 3: its 'text' is an int: give a text",
    ]
    assert [bool(row["rarr_error"]) for row in batch.results()] == [True, True, True, False]
    assert (report.counts.rows, report.counts.errors) == (4, 3)


def test_row_whose_process_ends_twice_has_an_error_and_is_repeated(
    batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    tries: list[str] = []

    class Dying(InProcess):
        async def run(self, job: Job, on_step: Any = None) -> Any:
            tries.append(job.text)
            if job.text == WRONG or len(tries) == 1:
                raise WorkerLostError
            return await super().run(job, on_step)

    batch.rows({"text": RIGHT}, {"text": WRONG})
    with monkeypatch.context() as patch:
        patch.setattr(batch_runner, "InProcess", Dying)
        batch.made()
    assert sorted(tries) == sorted([RIGHT, RIGHT, WRONG, WRONG])
    right, wrong = batch.results()
    assert right["rarr_error"] is None and "ended 2 times" in wrong["rarr_error"]
    assert batch.made().counts.errors == 0


def test_sources_and_context_of_a_row_are_used(batch: Batch) -> None:
    batch.rows(
        {"answer": "It closed in 1936.", "asked": "When did the mill close?", "given": [TRUE]},
        {"answer": CLOSED, "asked": None, "given": [{"text": TRUE, "url": None}]},
        {"answer": CLOSED, "asked": "", "given": '["The mill closed in 1937."]'},
    )
    batch.made(columns=Columns("answer", "asked", "given"))
    assert [row["rarr_text"] for row in batch.results()] == ["It closed in 1937.", TRUE, TRUE]


def test_run_ends_at_its_deadline_and_continues(batch: Batch, monkeypatch: pytest.MonkeyPatch) -> None:
    batch.rows({"text": WRONG}, {"text": RIGHT})
    clock = iter([0.0, 1.0, *[9.0] * 9])
    monkeypatch.setattr(file_batch, "monotonic", lambda: next(clock))
    report = batch.made(limits=BatchLimits(deadline_s=5))
    assert (report.counts.rows, report.counts.left, len(batch.results())) == (1, 1, 1)
    assert batch.made().counts.left == 0


def test_whole_record_is_added_on_request(batch: Batch) -> None:
    batch.rows({"text": WRONG})
    batch.made(full=True)
    [row] = batch.results()
    assert row["rarr_revision"]["text"] == RIGHT and row["rarr_revision"]["edits"]


def test_row_without_its_record_is_repeated_when_records_are_asked_for(batch: Batch) -> None:
    batch.rows({"text": WRONG})
    batch.made()
    for _ in range(2):
        batch.made(full=True)
        assert [row["rarr_revision"]["text"] for row in batch.results()] == [RIGHT]
    assert batch.ran == [WRONG, WRONG]


@pytest.mark.parametrize(
    ("rows", "options", "message"),
    [
        ([{"text": RIGHT}], {"columns": Columns("answer")}, "no column 'answer': give --text one of 'text'"),
        ([{"text": RIGHT}], {"columns": Columns(id="key")}, "no column 'key': give --id one of 'text'"),
        ([{"text": RIGHT, "rarr_text": ""}], {}, "the column 'rarr_text' is a result of rarr batch already"),
        ([], {}, "has no row"),
    ],
)
def test_input_that_cannot_be_used_is_refused_before_anything_is_spent(
    rows: list[dict[str, Any]], options: dict[str, Any], message: str, batch: Batch
) -> None:
    batch.rows(*rows)
    with pytest.raises(InputError, match=message):
        batch.made(**options)
    assert batch.ran == [] and not batch.out.exists()


def test_output_of_something_else_is_not_overwritten(batch: Batch) -> None:
    batch.rows({"text": RIGHT})
    batch.out.write_text("mine")
    with pytest.raises(InputError, match="no batch has written it"):
        batch.made()
    assert batch.out.read_text() == "mine"


def test_other_settings_and_a_changed_corpus_are_refused(batch: Batch) -> None:
    batch.rows({"text": RIGHT})
    batch.made()
    with pytest.raises(
        InputError, match="with mode revise, not check: give another -o, or delete this folder"
    ):
        batch.made(mode="check")
    (batch.folder / "corpus" / "more.md").write_text("More.")
    with pytest.raises(InputError, match="before its files changed"):
        batch.made()


def test_corpus_that_changes_during_the_run_is_told(batch: Batch) -> None:
    batch.rows({"text": RIGHT})
    report = batch.made(
        on_progress=lambda done, left: (batch.folder / "corpus" / "new.md").write_text("New.")
    )
    assert "changed during the run" in report.notes[0]


def test_equal_ids_are_told_and_nothing_is_lost(batch: Batch) -> None:
    batch.rows({"text": RIGHT, "key": "a"}, {"text": WRONG, "key": "a"})
    report = batch.made(columns=Columns(id="key"))
    assert report.notes == ["row 2 has the id 'a' of an earlier row"] and len(batch.results()) == 2


def test_equal_ids_of_many_rows_are_counted_in_one_line(batch: Batch) -> None:
    batch.rows(*[{"text": RIGHT, "key": "a"}] * 4)
    note = "row 2 has the id 'a' of an earlier row; so have 2 more rows"
    assert batch.made(columns=Columns(id="key")).notes == [note]


def test_broken_first_line_stops_no_other_row(batch: Batch) -> None:
    batch.source.write_text("broken\n" + json.dumps({"text": WRONG}))
    assert batch.made().wrong_rows == ["row 1: it is not JSON (Expecting value, at character 1)"]
    assert [row["rarr_text"] for row in batch.results()] == [None, RIGHT]


def test_first_row_that_can_be_read_must_have_the_columns(batch: Batch) -> None:
    batch.source.write_text('broken\n{"answer": "a"}')
    with pytest.raises(InputError, match="no column 'text': give --text one of 'answer'"):
        batch.made()


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
        batch.made(full=True)
    assert not batch.out.exists()
    assert batch.made(full=True).counts.errors == 0 and batch.results()
