"""A batch writes each row with its result, and continues from what an earlier run has done."""

import asyncio
import threading
from contextlib import AbstractContextManager
from pathlib import Path

import pytest

from batches.batch_folder import RIGHT, WRONG, Batch, Deadly
from rarr.batches import file_batch
from rarr.batches.columns import Columns, Counting, error_columns
from rarr.batches.file_batch import revise_file
from rarr.batches.result_store import Expected
from rarr.errors import InputError
from rarr.records import Passage
from rarr.tools.concurrency import call_all
from rarr.tools.storage.files import locked

CLOSED, TRUE = "The mill closed in 1936.", "The mill closed in 1937."


def test_rows_keep_their_columns_and_order_and_get_their_results(batch: Batch) -> None:
    batch.rows({"text": WRONG, "n": 1}, {"text": RIGHT, "n": None, "tags": ["a"]})
    report = batch.revise()
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
    batch.revise()
    assert batch.ran == [WRONG]
    assert [(row["n"], row["rarr_text"]) for row in batch.results()] == [(1, RIGHT), (2, RIGHT)]


def test_second_run_does_only_what_is_new(batch: Batch) -> None:
    batch.rows({"text": WRONG})
    batch.revise()
    batch.rows({"text": "The Hoover Dam is 222 metres high."}, {"text": WRONG})
    batch.revise()
    assert batch.ran == [WRONG, "The Hoover Dam is 222 metres high."]
    assert [row["rarr_text"] for row in batch.results()] == [RIGHT, RIGHT]


@pytest.mark.slow
@pytest.mark.parametrize("kills", [1, 2])
def test_row_that_kills_its_process_twice_has_an_error_and_costs_no_other_row_its_result(
    batch: Batch, kills: int
) -> None:
    batch.rows(*({"text": text} for text in (RIGHT, "The Orrel Dam is 212 metres high.", WRONG)))
    settings = batch.settings(search=["corpus", Deadly(batch.folder, Orrel=kills)], trace=False)
    counts = revise_file(batch.source, batch.out, settings=settings, workers=2).counts
    first, killer, last = before = batch.results()
    assert (counts.rows, counts.errors) == (3, kills - 1)
    assert ("ended twice" in (killer["rarr_error"] or "")) == (kills == 2)
    assert (first["rarr_text"], last["rarr_text"]) == (RIGHT, RIGHT)
    assert len(list(batch.folder.glob("Orrel.*"))) == kills
    assert revise_file(batch.source, batch.out, settings=settings, workers=2).counts.errors == 0
    after = batch.results()
    assert [after[n]["rarr_run_id"] for n in (0, 2)] == [before[n]["rarr_run_id"] for n in (0, 2)]


FLOOD = "after a flood in the valley"


def test_sources_and_context_of_a_row_are_used(batch: Batch) -> None:
    source = f"Orrel Mill closed in 1937 {FLOOD}."
    batch.rows(
        {"answer": f"It closed in 1936 {FLOOD}.", "asked": "When did Orrel Mill close?", "given": [source]},
        {"answer": CLOSED, "asked": None, "given": [{"text": TRUE, "url": None}]},
        {"answer": CLOSED, "asked": "", "given": '["The mill closed in 1937."]'},
    )
    batch.revise(columns=Columns("answer", "asked", "given"))
    texts = [row["rarr_text"] for row in batch.results()]
    assert texts == [f"It closed in 1937 {FLOOD}.", TRUE, TRUE]


def test_call_at_the_same_time_is_refused_and_leaves_the_folder_to_the_first(
    batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    begun, refused = threading.Event(), threading.Event()

    class Silent:
        async def retrieve(self, query: str, k: int) -> list[Passage]:
            begun.set()
            await asyncio.to_thread(refused.wait, 30)
            return []

    batch.rows({"text": WRONG})
    settings = batch.settings(search=["corpus", Silent()])
    first = threading.Thread(target=batch.revise, args=(settings,))

    def locked_later(lock: Path, message: str) -> AbstractContextManager[None]:
        patch.undo()
        first.start()
        assert begun.wait(30)
        return locked(lock, message)

    with monkeypatch.context() as patch:
        patch.setattr(file_batch, "locked", locked_later)
        with pytest.raises(InputError, match="is being written by another rarr batch: wait for it"):
            batch.revise(settings)
    refused.set()
    first.join()
    assert [row["rarr_text"] for row in batch.results()] == [RIGHT]
    assert batch.revise(settings).counts.rows == 1 and batch.ran == [WRONG]


def test_threads_that_write_at_once_wait_for_each_other(
    batch: Batch, capsys: pytest.CaptureFixture[str]
) -> None:
    def interrupt(done: Counting, expected: Expected) -> None:
        writers = [threading.Thread(target=call_all) for _ in range(8)]
        for each in writers:
            each.start()
        for each in writers:
            each.join()

    batch.rows(*({"text": RIGHT, "n": n} for n in range(200)))
    batch.revise(on_progress=interrupt)
    assert (capsys.readouterr().err, len(batch.results())) == ("", 200)


def test_settings_of_the_server_may_change_and_no_trace_is_kept(batch: Batch) -> None:
    batch.rows({"text": WRONG})
    batch.revise()
    batch.revise(batch.settings(serve_port=8123))
    assert batch.ran == [WRONG] and not (batch.folder / "home" / "traces.sqlite").exists()


def test_whole_record_is_added_on_request(batch: Batch) -> None:
    batch.rows({"text": WRONG})
    batch.revise(full=True)
    [row] = batch.results()
    assert row["rarr_revision"]["text"] == RIGHT and row["rarr_revision"]["edits"]


def test_failed_row_with_an_open_sentence_is_counted_as_an_error_alone() -> None:
    counting, is_open = Counting(), {"rarr_statuses": ["unconfirmed"]}
    for number, error in enumerate(("no model", None), start=1):
        counting.add(error_columns(error) | is_open, f"row {number}")
    total = counting.counts()
    assert (total.rows, total.unconfirmed, total.errors) == (2, 1, 1)
    assert total.first_error == "row 1: no model"
