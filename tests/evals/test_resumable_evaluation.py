"""Data in, a report out: what is written, what is gone on with, and what is refused."""

import asyncio
import json
import threading
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from families import few

from evals.doubles import EVIDENCE, components, lines, row, timeless, write_rows
from rarr.errors import InputError, RarrError
from rarr.evals import evaluate
from rarr.evals.measures import EvalReport
from rarr.records import Revision
from rarr.settings import Settings
from rarr.testing import ScriptedChecker, scripted_components


@pytest.mark.slow
def test_rows_come_in_the_order_of_the_data(data: Path, out: Path) -> None:
    report = evaluate(data, out, components=components(0.01), jobs=5)
    assert [row.id for row in report.rows] == [f"r{n}" for n in range(5)]
    assert [row.text == row.original for row in report.rows] == [False, True, False, True, False]
    assert {row.text for row in report.rows} == {row.reference for row in report.rows}
    assert sorted(line["id"] for line in lines(out)) == [f"r{n}" for n in range(5)]


@pytest.mark.slow
def test_folder_holds_predictions_and_report(data: Path, out: Path) -> None:
    report = evaluate(data, out, components=components(), jobs=1)
    assert EvalReport.model_validate_json((out / "report.json").read_bytes()) == report
    assert (out / "report.html").read_text().startswith("<!doctype html>")
    assert [list(line) for line in lines(out)] == [["id", "revision"]] * 5
    assert Revision.model_validate(lines(out)[0]["revision"]).changed


@pytest.mark.slow
def test_finished_run_is_not_done_again(data: Path, out: Path) -> None:
    first = evaluate(data, out, components=components())
    again = components()
    assert evaluate(data, out, components=again) == first
    assert again.retriever.calls == []  # type: ignore[attr-defined]


@pytest.mark.slow
def test_limit_is_raised_later(data: Path, out: Path) -> None:
    few = evaluate(data, out, components=components(), limit=2)
    assert [row.id for row in few.rows] == ["r0", "r1"]
    whole = evaluate(data, out, components=components())
    assert timeless(whole) == timeless(evaluate(data, out.with_name("other"), components=components()))
    assert evaluate(data, out, components=components(), limit=2) == few


@pytest.mark.slow
def test_any_cut_of_the_predictions_leads_to_the_same_report(data: Path, out: Path) -> None:
    whole = evaluate(data, out, components=components(), jobs=1)
    written = (out / "predictions.jsonl").read_bytes()
    ends = [at + 1 for at, byte in enumerate(written) if byte == ord("\n")]
    for cut in (0, 1, ends[2] - 1, ends[2], ends[2] + 7, ends[-1] - 1):
        (out / "predictions.jsonl").write_bytes(written[:cut])
        assert timeless(evaluate(data, out, components=components(), jobs=2)) == timeless(whole)
        assert sorted(line["id"] for line in lines(out)) == [f"r{n}" for n in range(5)]


@pytest.mark.slow
@pytest.mark.parametrize(
    "missing", [("report.json",), ("report.json", "report.html"), ("predictions.jsonl",)]
)
def test_files_missing_after_a_crash_are_written(data: Path, out: Path, missing: tuple[str, ...]) -> None:
    whole = evaluate(data, out, components=components())
    for name in missing:
        (out / name).unlink()
    assert timeless(evaluate(data, out, components=components())) == timeless(whole)
    assert all((out / name).exists() for name in missing)


@pytest.mark.slow
def test_run_starts_after_a_crash_before_the_first_file(data: Path, out: Path) -> None:
    out.mkdir()
    (out / "run.lock").touch()
    (out / "run.json.part").write_text('{"data":')
    assert len(evaluate(data, out, components=components()).rows) == 5


@pytest.mark.slow
def test_row_in_error_is_a_row(data: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    corpus = data.parent / "empty"
    corpus.mkdir()
    write_rows(data, row(0), row(1, corpus="empty"), row(2))
    report = evaluate(data, out, components=components())
    assert [bool(row.error) for row in report.rows] == [False, True, False]
    assert report.rows[1].text == report.rows[1].original
    assert lines(out)[1].keys() | lines(out)[0].keys() == {"id", "error", "revision"}
    assert report.measures["f1_ap"].unjudged == 1
    again = evaluate(data, out, components=components())
    assert again == report


@pytest.mark.slow
def test_defect_ends_the_run_and_keeps_what_is_done(data: Path, out: Path) -> None:
    calls = []

    def on_row(done: int, total: int) -> None:
        calls.append((done, total))
        if done == 3:
            raise ZeroDivisionError

    with pytest.raises(ZeroDivisionError):
        evaluate(data, out, components=components(), jobs=1, on_row=on_row)
    assert calls == [(0, 5), (1, 5), (2, 5), (3, 5)]
    assert len(lines(out)) == 3
    assert len(evaluate(data, out, components=components()).rows) == 5


@pytest.mark.slow
def test_row_brings_its_own_evidence(data: Path, out: Path) -> None:
    given = {"text": "The mill opened in 1937.", "url": "https://x.example"}
    write_rows(data, row(0, evidence=[given]), row(2, evidence=[]), row(4))
    evaluate(data, out, components=components(), jobs=1)
    revisions = [Revision.model_validate(line["revision"]) for line in lines(out)]
    assert [{evidence.source for evidence in revision.evidence} for revision in revisions] == [
        {"https://x.example"},
        set(),
        {f"memory:{EVIDENCE}"},
    ]


@pytest.mark.slow
def test_row_brings_its_own_corpus(data: Path, out: Path) -> None:
    notes = data.parent / "notes"
    notes.mkdir()
    (notes / "mill.md").write_text(EVIDENCE)
    write_rows(data, row(0, corpus="notes"), row(2, corpus="notes/mill.md"), row(4, corpus="notes"))
    report = evaluate(data, out, components=components())
    assert all(row.text == row.reference for row in report.rows)
    revisions = [Revision.model_validate(line["revision"]) for line in lines(out)]
    assert all(
        evidence.source.endswith("mill.md") for revision in revisions for evidence in revision.evidence
    )


def other_data(data: Path, out: Path) -> None:
    write_rows(data, row(0))
    evaluate(data, out, components=components())


def other_settings(data: Path, out: Path) -> None:
    evaluate(data, out, components=components(settings=Settings(rounds=1)))


def other_version(data: Path, out: Path) -> None:
    made_with = json.loads((out / "run.json").read_text())
    (out / "run.json").write_text(json.dumps(made_with | {"version": "0.0.1"}))
    evaluate(data, out, components=components())


def damaged_run(data: Path, out: Path) -> None:
    (out / "run.json").write_text("[]")
    evaluate(data, out, components=components())


def damaged_line(data: Path, out: Path) -> None:
    written = (out / "predictions.jsonl").read_text()
    (out / "predictions.jsonl").write_text(written.replace('"id"', '"di"', 1))
    evaluate(data, out, components=components())


def line_too_many(data: Path, out: Path) -> None:
    with (out / "predictions.jsonl").open("a") as file:
        file.write('{"id": "r0", "error": "no"}\n')
    evaluate(data, out, components=components())


@pytest.mark.parametrize(
    ("act", "message"),
    few(
        [
            (other_data, "holds a run over other data: give another folder, or delete this one"),
            (other_settings, "holds a run with rounds the default, not 1: give another folder"),
            (other_version, r"holds a run of rarr 0\.0\.1: give another"),
            (damaged_run, r"run\.json cannot be read: give another"),
            (damaged_line, r"line 1, is damaged: delete that line and run again"),
            (line_too_many, r"has an extra line, of 'r0': delete it and run again"),
        ],
        every=3,
    ),
)
def test_folder_that_cannot_be_continued_is_refused(
    data: Path, out: Path, act: Callable[[Path, Path], None], message: str
) -> None:
    evaluate(data, out, components=components())
    report = (out / "report.json").read_bytes()
    with pytest.raises(InputError, match=message):
        act(data, out)
    assert (out / "report.json").read_bytes() == report


def test_folder_of_something_else_is_left_alone(data: Path, out: Path) -> None:
    out.mkdir()
    (out / "thesis.txt").write_text("It took years.")
    with pytest.raises(InputError, match=r"holds thesis\.txt, not a run of rarr"):
        evaluate(data, out, components=components())
    assert {file.name for file in out.iterdir()} == {"thesis.txt"}


@pytest.mark.parametrize(
    "wrong", [{"jobs": 0}, {"limit": 0}, {"settings": Settings()}, {"settings": Settings(model="nope:m")}]
)
def test_wrong_call_raises_before_anything_is_done(data: Path, out: Path, wrong: dict[str, Any]) -> None:
    scripted = None if "nope" in str(wrong) else components()
    with pytest.raises(RarrError):
        evaluate(data, out, components=scripted, **wrong)
    assert not (out / "predictions.jsonl").exists()


def test_folder_that_cannot_be_written_is_one_line(data: Path) -> None:
    with pytest.raises(InputError, match="cannot be written"):
        evaluate(data, data / "out", components=components())


@pytest.mark.slow
def test_second_run_in_one_folder_is_refused(data: Path, out: Path) -> None:
    refused: list[str] = []

    def on_row(done: int, total: int) -> None:
        if done == 1:
            with pytest.raises(InputError) as error:
                evaluate(data, out, components=components())
            refused.append(str(error.value))

    thread = threading.Thread(
        target=lambda: evaluate(data, out, components=components(), jobs=1, on_row=on_row)
    )
    thread.start()
    thread.join()
    assert refused == [f"{out} is in use by another process of rarr: wait for it, or give another folder"]


def test_full_disk_ends_the_run_in_one_line(data: Path, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(self: object, prediction: object) -> None:
        raise InputError("out cannot be written (No space left on device): mend that and run again")

    monkeypatch.setattr("rarr.tools.storage.files.Appending.add", full)
    with pytest.raises(InputError, match="No space left"):
        evaluate(data, out, components=components())


@pytest.mark.slow
async def test_evaluate_may_be_called_within_an_event_loop(data: Path, out: Path) -> None:
    await asyncio.sleep(0)
    assert len(evaluate(data, out, components=components()).rows) == 5


@pytest.mark.slow
def test_no_more_rows_run_at_once_than_jobs(data: Path, out: Path) -> None:
    now, most = 0, 0

    class Counting(ScriptedChecker):
        async def check(self, *args: Any) -> Any:
            nonlocal now, most
            now += 1
            most = max(most, now)
            await asyncio.sleep(0.1)
            now -= 1
            return await super().check(*args)

    write_rows(data, *(row(2 * number) for number in range(9)))
    parts = components()
    counting = scripted_components(
        query_generator=parts.query_generator, retriever=parts.retriever, checker=Counting()
    )
    evaluate(data, out, components=counting, jobs=3)
    assert most == 3
