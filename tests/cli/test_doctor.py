"""`rarr doctor`: what it finds of the installation, models and sources, over real connections."""

import json
from pathlib import Path
from typing import Any

import pytest
from agent.test_exam import perfect
from tools.asking import KEY

from cli.conftest import Command, Result, is_error_line
from rarr.cli.doctor import Diagnosis, diagnoses
from rarr.settings import Settings
from rarr.testing import RuleModel, ScriptedServer

NAME = "vllm:scripted"


def diagnoses_by_name(**chosen: Any) -> dict[str, Diagnosis]:
    return {each.name: each for each in diagnoses(Settings(**({"offline": True} | chosen)))}


def test_installation_is_named_with_cures_for_what_is_missing(command: Command, notes: Path) -> None:
    done = command("doctor", "--offline", "--corpus", "notes", "--model", "embedded")
    assert (done.status, done.out[:12], done.err) == (0, b"ok       rar", "")
    assert b"search corpus: it answers" in done.out and b"no language model is asked" in done.out
    found = diagnoses_by_name(corpus=notes)
    assert "extra train" in found and "extra dev" not in found
    lacking = [each for each in found.values() if each.state == "missing"]
    assert all("pip install" in each.cure for each in lacking if each.name.startswith("extra"))


def test_what_prevents_work_is_broken() -> None:
    faults = (
        ("corpus", "nowhere", "nowhere"),
        ("model", "nope:x", "nope"),
        ("search", "searxng", "searxng_url"),
    )
    for setting, value, words in faults:
        found = [it for it in diagnoses_by_name(**{setting: value}).values() if it.state == "broken"]
        assert [words in str(it) for it in found] == [True]


def examine(command: Command, url: str, *more: str) -> Result:
    return command("doctor", "--model", NAME, "--base-url", url, *more)


FIT = ["faults: none", f"{NAME} is fit for edits"]
UNFIT = [
    "faults: 10 of 10 errors missed, 11 of 14 other sentences misread",
    f"{NAME} is unfit to read: name a stronger model",
]


@pytest.mark.loopback
@pytest.mark.parametrize(("model", "status", "lines"), [(perfect, 0, FIT), (RuleModel(), 3, UNFIT)])
def test_model_that_is_unfit_is_status_3_with_its_faults(
    command: Command, tmp_path: Path, model: Any, status: int, lines: list[str]
) -> None:
    with ScriptedServer(model) as at:
        done, printed = examine(command, at.url), examine(command, at.url, "--json")
        assert len(at.requests) == 4
        with_corpus = examine(command, at.url, "--corpus", "nowhere").out.decode()
    assert f"model {NAME}: " in with_corpus and "search corpus: " in with_corpus
    exam = json.loads(printed.out)
    assert (done.status, printed.status, done.err, exam["cards"]) == (status, status, "", 24)
    assert (done.out.decode().splitlines()[2:], bool(exam["faults"])) == (lines, status == 3)
    kept = (tmp_path / "home/readers.jsonl").read_text()
    assert kept.count(f'"fit_for":"{"nothing" if status else "edits"}"') == 2


@pytest.mark.loopback
def test_key_is_sent_and_not_shown(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_API_KEY", KEY)
    with ScriptedServer(RuleModel(), requires_key=KEY) as at:
        assert examine(command, at.url).out
        done = examine(command, at.url.replace("//", f"//me:{KEY}@"))
        shown = command("doctor", "--offline").out.decode()
    assert KEY not in done.out.decode() + done.err + shown


@pytest.mark.loopback
def test_model_that_fails_is_status_3_with_the_cure(command: Command) -> None:
    with ScriptedServer({}, requires_key=KEY) as at:
        locked = examine(command, at.url)
    for done, cure in ((locked, "give its key as api_key"), (examine(command, at.url), "start its server")):
        assert (done.status, done.out, is_error_line(done.err), cure in done.err) == (3, b"", True, True)
