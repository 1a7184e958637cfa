"""Tests evaluations: the files, how a run continues, and the errors."""

import os
import random
import re
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import pytest

from evals.doubles import EVIDENCE, Source, lines, row, run_eval, without_seconds, write_rows
from rarr.errors import InputError, RarrError, SettingsError
from rarr.evals.evaluation import EvalReport, evaluate
from rarr.evals.run_folder import changed_settings
from rarr.records import Revision
from rarr.settings import Settings
from rarr.testing import RuleModel, ScriptedServer
from rarr.tools.storage.files import lock_file

TESTS = Path(__file__).parent.parent


def test_folder_holds_predictions_and_report_in_the_order_of_the_data(data: Path, out: Path) -> None:
    report = run_eval(data, out, Source(0.01), jobs=5)
    assert [row.id for row in report.rows] == [f"r{n}" for n in range(5)]
    assert [row.text == row.original for row in report.rows] == [False, True, False, True, False]
    assert {row.text for row in report.rows} == {EVIDENCE}
    assert EvalReport.model_validate_json((out / "report.json").read_bytes()) == report
    assert (out / "report.html").read_text().startswith("<!doctype html>")
    assert [list(line) for line in lines(out)] == [["id", "revision"]] * 5
    again = Source()
    assert run_eval(data, out, again) == report
    assert again.calls == []


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_run_that_is_killed_at_any_time_continues(data: Path, tmp_path: Path, seed: int) -> None:
    """Another process continues: no row is lost or repeated, and the figures are the same."""
    undisturbed, out, moment = run_eval(data, tmp_path / "whole"), tmp_path / "out", random.Random(seed)
    environment = {"PYTHONPATH": f"{TESTS.parent}:{TESTS}", "RARR_HOME": os.environ["RARR_HOME"]}
    for _ in range(3):
        argv = [sys.executable, "-m", "evals.doubles", str(data), str(out), "0.0", "3"]
        child = subprocess.Popen(argv, env=environment, stderr=subprocess.PIPE)
        while not out.exists() and child.poll() is None:
            time.sleep(0.001)
        time.sleep(moment.random() * 0.3)
        child.send_signal(signal.SIGKILL)
        child.communicate()
    assert without_seconds(run_eval(data, out)) == without_seconds(undisturbed)
    assert sorted(line["id"] for line in lines(out)) == [f"r{number}" for number in range(5)]


def test_row_brings_its_own_evidence(data: Path, out: Path) -> None:
    given = {"text": EVIDENCE, "url": "https://x.example"}
    write_rows(data, row(0, evidence=[given]), row(2, evidence=[]), row(4))
    run_eval(data, out, jobs=1)
    revisions = [Revision.model_validate(line["revision"]) for line in lines(out)]
    sources = [{evidence.source for evidence in revision.evidence} for revision in revisions]
    assert sources == [{"https://x.example"}, set(), {f"memory:{EVIDENCE}"}]


def test_step_that_lost_a_correction_is_named(data: Path, out: Path) -> None:
    texts = {
        ("The mill opened in 1973.", "The mill opened in 1937."): None,
        ("The mill opened in 1973.", "The mill has a wheel."): "search",
        ("In 1973, they opened it.", "The mill opened in 1937."): "reading",
        ("The mill is “1973 metres” high.", "The mill is 1937 metres high."): "editing",
    }
    cases = [*texts.items(), *(it for it in texts.items() if it[1] == "search")]
    rows = ({"text": it, "evidence": [by], "revised": it.replace("1973", "1937")} for (it, by), _ in cases)
    report = run_eval(write_rows(data, *rows), out)
    assert [row.lost_by for row in report.rows] == [step for _, step in cases]
    lost = [report.measures[f"lost_by_{step}"].value for step in ("search", "reading", "editing")]
    assert lost == [2 / 5, 1 / 5, 1 / 5]


@pytest.mark.parametrize(
    ("file", "old", "new", "message"),
    [
        ("data.jsonl", "r0", "q0", r"holds a run with data \(digest\) .*: give another folder"),
        ("out/run.json", '"version": "', '"version": "9', r"holds a run with version 9.*, not "),
        ("out/run.json", "{", "[", r"run\.json cannot be read: give another"),
        ("out/predictions.jsonl", '"id"', '"di"', "line 1, is damaged: delete that line and run again"),
        ("out/predictions.jsonl", '"r0"', '"r9"', "has an extra line, of 'r9': delete that line and run"),
    ],
)
def test_unfit_folder_is_refused(data: Path, out: Path, file: str, old: str, new: str, message: str) -> None:
    run_eval(data, out)
    report, changed = (out / "report.json").read_bytes(), data.parent / file
    changed.write_text(changed.read_text().replace(old, new, 1))
    with pytest.raises(InputError, match=message):
        run_eval(data, out)
    assert (out / "report.json").read_bytes() == report


def test_folder_in_use_or_of_something_else_is_left_alone(data: Path, out: Path) -> None:
    message = "is in use by another process of rarr: wait for it, or give another folder"
    with lock_file(out / "run.lock", ""), pytest.raises(InputError, match=message):
        run_eval(data, out)
    write_rows(out / "thesis.txt", "It took years.")
    with pytest.raises(InputError, match=r"holds thesis\.txt, not a run of rarr"):
        run_eval(data, out)
    assert {file.name for file in out.iterdir()} <= {"thesis.txt", "run.lock"}


@pytest.mark.parametrize(
    "wrong", [{"jobs": 0}, {"limit": 0}, {"model": "nope:m"}, {"queries": "x"}, {"editor": "nope"}]
)
def test_wrong_call_raises_before_anything_is_done(data: Path, out: Path, wrong: dict[str, Any]) -> None:
    with pytest.raises(RarrError):
        run_eval(data, out, **wrong)
    assert not (out / "predictions.jsonl").exists()


def test_rows_with_an_error_are_in_no_measure_and_done_again(data: Path, out: Path) -> None:
    whole = run_eval(data, out.with_name("whole"))
    report = run_eval(data, out, Source(answers=2), jobs=1)
    kept, restored = lines(out), report.measures["restored"]
    assert [bool(row.error) for row in report.rows] == [False, False, True, True, True]
    assert re.match("nothing could be checked: .*the server went away", report.rows[2].error)
    assert (restored.n, restored.unjudged) == (1, 2)
    again = Source()
    assert without_seconds(run_eval(data, out, again, jobs=1)) == without_seconds(whole)
    assert (len(kept), len(again.calls), lines(out)[:2]) == (2, 3, kept)


def test_changed_corpus_is_noticed(data: Path, out: Path) -> None:
    notes = data.parent / "notes"
    write_rows(notes / "mill.md", EVIDENCE)
    report = evaluate(data, out, settings=Settings(corpus=notes))
    assert evaluate(data, out, settings=Settings(corpus=notes)) == report
    write_rows(notes / "more.md", "The mill closed in 1950.")
    with pytest.raises(InputError, match=r"holds a run with corpus \(digest\) .*: give another folder"):
        evaluate(data, out, settings=Settings(corpus=notes))


def test_baseline_none_edits_nothing_and_edits_without_agreement_need_a_model(data: Path, out: Path) -> None:
    report = run_eval(data, out, limit=2, editor="none", queries="text")
    assert {"editor": "none", "queries": "text"}.items() <= report.settings.items()
    assert all(it.text == it.original and it.scores.attribution_after is not None for it in report.rows)
    with pytest.raises(SettingsError, match="an edit without agreement needs a language model"):
        run_eval(data, out.with_name("other"), agreement=False)


def test_description_has_what_differs_from_the_default_and_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-geheim")
    endpoint = {"base_url": "https://me:geheim@x.example/v1", "api_key": "geheim", "extra": {"k": "geheim"}}
    given: dict[str, Any] = {"endpoints": {"vllm:m": endpoint}, "search": ["corpus", "tavily"]}
    given |= {"base_url": "https://me:geheim@y.example/v1", "api_key": "geheim", "tavily_key": "geheim"}
    description = changed_settings(Settings(model="vllm:m", **given))
    assert "geheim" not in str(description)
    assert (description["model"], description["search"]) == ("vllm:m", "corpus, tavily")
    assert "x.example" in description["endpoints"]
    assert changed_settings(Settings()) == {}


def test_other_prompts_or_paths_are_other_settings(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_rows(tmp_path / "edit.md", "One.")
    before = changed_settings(Settings(prompts=tmp_path, corpus="notes"))
    write_rows(tmp_path / "edit.md", "Two.")
    monkeypatch.chdir(tmp_path)
    after = changed_settings(Settings(prompts=tmp_path, corpus="notes"))
    assert before["prompts"] != after["prompts"] and before["corpus"] != after["corpus"]


@pytest.mark.loopback
def test_evaluation_neither_reads_nor_writes_what_a_user_keeps(data: Path, out: Path, tmp_path: Path) -> None:
    write_rows(data, {"text": "The mill is “212 metres” high.", "evidence": ["The mill is 221 metres high."]})
    with ScriptedServer(RuleModel()) as server:
        run_eval(data, out, home=tmp_path, model="vllm:rules", base_url=server.url)
        assert server.requests
    assert not (tmp_path / "readers.jsonl").exists()
