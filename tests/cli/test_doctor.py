"""`rarr doctor`: what it finds of the installation, models and sources, over real connections."""

import json
from pathlib import Path
from typing import Any

import pytest
from tools.asking import KEY

from cli.helpers import Command, Result, is_complaint
from rarr.cli.doctor import Diagnosis, examine
from rarr.settings import Settings
from rarr.testing import RuleModel, ScriptedServer, refused_url

NAME = "vllm:scripted"


def findings(**chosen: Any) -> dict[str, Diagnosis]:
    return {each.name: each for each in examine(Settings(**({"offline": True} | chosen)))}


def test_installation_is_named_with_cures_for_what_is_missing(command: Command, notes: Path) -> None:
    done = command("doctor", "--offline", "--corpus", "notes")
    assert (done.status, done.out[:12], done.err) == (0, b"ok       pyt", "")
    assert "search corpus: it answers" in done.out.decode()
    found = findings(corpus=notes)
    assert {"extra graph", "extra train"} <= found.keys() and "extra dev" not in found
    lacking = [each for each in found.values() if each.state == "missing"]
    assert all("pip install" in each.cure for each in lacking if each.name.startswith("extra"))


@pytest.mark.parametrize(
    ("chosen", "name", "words"),
    [
        ({"corpus": "nowhere"}, "search corpus", "nowhere"),
        ({"model": "nope:x"}, "model", "nope"),
        ({"search": "searxng"}, "search searxng", "searxng_url"),
        ({"search": "corpus"}, "search corpus", "set corpus"),
        ({"graph": "none.csv"}, "search graph", "none.csv"),
    ],
)
def test_what_prevents_work_is_broken(chosen: dict[str, Any], name: str, words: str) -> None:
    finding = findings(**chosen)[name]
    assert (finding.state, words in str(finding)) == ("broken", True)


def doctor(command: Command, url: str, *more: str, name: str = NAME) -> Result:
    return command("doctor", "--model", name, "--base-url", url, *more)


@pytest.mark.loopback
def test_model_that_can_be_reached_is_examined(command: Command) -> None:
    with ScriptedServer(RuleModel()) as at:
        done = doctor(command, at.url)
        exam = json.loads(doctor(command, at.url, "--json").out)
    assert (done.status, done.err, exam["cards"]) == (0, "", 24)
    lines = done.out.decode().splitlines()
    assert (len(lines), lines[-1].startswith(f"{NAME} is ")) == (6, True)


@pytest.mark.loopback
def test_key_is_sent_and_not_shown(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_API_KEY", KEY)
    with ScriptedServer(RuleModel(), requires_key=KEY) as at:
        assert doctor(command, at.url).status == 0
        done = doctor(command, at.url.replace("//", f"//me:{KEY}@"))
        shown = command("doctor", "--offline").out.decode()
    assert KEY not in done.out.decode() + done.err + shown


@pytest.mark.loopback
def test_model_that_fails_is_status_3_with_the_cure(command: Command) -> None:
    with ScriptedServer({}, requires_key=KEY) as at:
        locked = doctor(command, at.url)
    for done, cure in (
        (locked, "give its key as api_key"),
        (doctor(command, refused_url()), "start its server"),
    ):
        assert (done.status, done.out, is_complaint(done.err), cure in done.err) == (3, b"", True, True)
