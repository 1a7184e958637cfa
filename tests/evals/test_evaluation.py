"""Data in, a report out: what is written, what is gone on with, and what is refused."""

import json
import threading
from collections.abc import Callable, Iterable, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from families import few

from evals.doubles import EVIDENCE, components, lines, row, timeless, write_rows
from rarr.components import Components
from rarr.errors import InputError, RarrError, SettingsError
from rarr.evals import evaluate
from rarr.evals.measures import EvalReport
from rarr.records import Passage, Revision
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever
from rarr.tools.storage.files import write_lines


@pytest.mark.slow
def test_folder_holds_predictions_and_report_in_the_order_of_the_data(data: Path, out: Path) -> None:
    report = evaluate(data, out, components=components(0.01), jobs=5)
    assert [row.id for row in report.rows] == [f"r{n}" for n in range(5)]
    assert [row.text == row.original for row in report.rows] == [False, True, False, True, False]
    assert {row.text for row in report.rows} == {row.reference for row in report.rows}
    assert EvalReport.model_validate_json((out / "report.json").read_bytes()) == report
    assert (out / "report.html").read_text().startswith("<!doctype html>")
    assert [list(line) for line in lines(out)] == [["id", "revision"]] * 5
    assert {Revision.model_validate(line["revision"]).changed for line in lines(out)} == {True, False}
    again = components()
    assert evaluate(data, out, components=again) == report
    assert again.retriever.calls == []  # type: ignore[attr-defined]


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
    "wrong",
    [
        {"jobs": 0},
        {"limit": 0},
        {"limit": -1},
        {"settings": Settings()},
        {"settings": Settings(model="nope:m")},
    ],
)
def test_wrong_call_raises_before_anything_is_done(data: Path, out: Path, wrong: dict[str, Any]) -> None:
    scripted = None if "nope" in str(wrong) else components()
    with pytest.raises(RarrError):
        evaluate(data, out, components=scripted, **wrong)
    assert not (out / "predictions.jsonl").exists()


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


class Dying(InMemoryRetriever):
    """Answers so many times, and then never again."""

    def __init__(self, answers: int) -> None:
        super().__init__([EVIDENCE])
        self.answers = answers

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if len(self.calls) >= self.answers:
            raise OSError("the server went away")
        return await super().retrieve(query, k)


def dying(answers: int) -> Components:
    return replace(components(), retriever=Dying(answers))


@pytest.mark.slow
def test_rows_after_the_death_of_a_server_are_errors_and_in_no_measure(data: Path, out: Path) -> None:
    write_rows(data, *(row(2 * number) for number in range(4)))
    report = evaluate(data, out, components=dying(2), jobs=1)
    assert [row.error for row in report.rows[:2]] == ["", ""]
    assert all(row.error.startswith("nothing could be checked: ") for row in report.rows[2:])
    assert "the server went away" in report.rows[2].error
    assert [list(line) for line in lines(out)] == [["id", "revision"]] * 2 + [["id", "error"]] * 2
    counted = {name: (measure.n, measure.unjudged) for name, measure in report.measures.items()}
    assert set(counted.values()) == {(2, 2)}
    assert all(report.measures[name].value == 1 for name in ("restored", "changed"))


@pytest.mark.slow
def test_rows_with_an_error_are_done_again(data: Path, out: Path) -> None:
    whole = evaluate(data, out.with_name("whole"), components=dying(99))
    evaluate(data, out, components=dying(1), jobs=1)
    kept = [line for line in lines(out) if "revision" in line]
    again = dying(99)
    assert timeless(evaluate(data, out, components=again, jobs=1)) == timeless(whole)
    assert (len(kept), len(again.retriever.calls)) == (3, 2)  # type: ignore[attr-defined]
    assert lines(out)[: len(kept)] == kept
    assert [line["id"] for line in lines(out)] == ["r0", "r1", "r3", "r2", "r4"]


@pytest.mark.slow
@pytest.mark.parametrize("before", few([True, False], every=2), ids=["before", "after"])
def test_stop_while_errors_are_removed_neither_loses_nor_repeats_rows(
    data: Path, out: Path, monkeypatch: pytest.MonkeyPatch, before: bool
) -> None:
    def ended(path: Path, lines: Iterable[bytes]) -> None:
        if before:
            path.with_name(f"{path.name}.part").write_bytes(next(iter(lines))[:9])
        else:
            write_lines(path, lines)
        raise ZeroDivisionError

    whole = evaluate(data, out.with_name("whole"), components=dying(99))
    evaluate(data, out, components=dying(1), jobs=1)
    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr("rarr.evals.run_folder.write_lines", ended)
        evaluate(data, out, components=dying(99))
    assert not (out / "report.json").exists()
    assert len(lines(out)) == (5 if before else 3)
    assert timeless(evaluate(data, out, components=dying(99))) == timeless(whole)
    assert sorted(line["id"] for line in lines(out)) == [f"r{n}" for n in range(5)]


@pytest.mark.slow
def test_changed_corpus_is_noticed(data: Path, out: Path) -> None:
    notes = data.parent / "notes"
    notes.mkdir()
    (notes / "mill.md").write_text(EVIDENCE)
    report = evaluate(data, out, settings=Settings(corpus=notes))
    assert evaluate(data, out, settings=Settings(corpus=notes)) == report
    (notes / "more.md").write_text("The mill closed in 1950.")
    with pytest.raises(InputError, match=r"searched .*notes before its files changed: give another folder"):
        evaluate(data, out, settings=Settings(corpus=notes))


def evaluated(
    data: Path, out: Path, retriever: InMemoryRetriever | None = None, **baseline: Any
) -> EvalReport:
    retriever = retriever or InMemoryRetriever(["The mill opened in 1937."])
    settings = Settings(model="embedded", search=retriever, home=out.parent, trace=False)
    return evaluate(data, out, settings=settings, limit=2, **baseline)


@pytest.mark.parametrize("baseline", [{}, {"editor": "none"}, {"queries": "text"}, {"queries": "sentences"}])
def test_report_names_the_baseline(data: Path, out: Path, baseline: dict[str, Any]) -> None:
    report = evaluated(data, out, **baseline)
    named = {
        name: report.settings[name] for name in ("queries", "agreement", "editor") if name in report.settings
    }
    assert named == {name: str(value) for name, value in baseline.items()}


@pytest.mark.parametrize("baseline", [{"queries": "x"}, {"agreement": "off"}, {"editor": ["none"]}])
def test_unknown_baseline_is_one_line_that_lists_the_values(
    data: Path, out: Path, baseline: dict[str, Any]
) -> None:
    with pytest.raises(InputError, match=rf"^{next(iter(baseline))} is .*: give one of .*$"):
        evaluate(data, out, **baseline)
    assert not out.exists()


def test_edits_without_agreement_need_a_language_model(data: Path, out: Path) -> None:
    with pytest.raises(SettingsError, match="an edit without agreement needs a language model"):
        evaluated(data, out, agreement=False)


def test_components_are_no_baseline(data: Path, out: Path) -> None:
    with pytest.raises(InputError, match=r"components and a baseline \(editor\) are both given"):
        evaluate(data, out, components=components(), editor="none")
