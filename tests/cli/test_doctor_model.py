"""`rarr doctor --model`: reaches a model over a real connection, and examines it."""

import json
from typing import Any

import pytest
from tools.asking import KEY

from cli.helpers import Command, Result, is_complaint
from rarr.cli.doctor import examine
from rarr.testing import Request, RuleModel, ScriptedServer, refused_url
from rarr.testing.replies import Reply, failed

NAME = "vllm:scripted"


def doctor(command: Command, url: str, *more: str, name: str = NAME) -> Result:
    return command("doctor", "--model", name, "--base-url", url, *more)


@pytest.mark.loopback
@pytest.mark.parametrize("name", [NAME, "ollama:scripted"])
def test_model_that_can_be_reached_is_examined(command: Command, name: str) -> None:
    with ScriptedServer(RuleModel()) as at:
        done = doctor(command, at.url, name=name)
        assert [request.method for request in at.requests] == ["GET", "POST", "POST"]
    assert (done.status, done.err) == (0, "")
    first, *others = done.out.decode().splitlines()
    assert first == f"ok       model {name}: served by {at.url}"
    assert (len(others), others[-1].startswith(f"{name} is ")) == (6, True)


@pytest.mark.loopback
def test_json_is_the_finding(command: Command) -> None:
    with ScriptedServer(RuleModel()) as at:
        finding, exam = json.loads(doctor(command, at.url, "--json").out)
    assert (finding["state"], finding["name"]) == ("ok", f"model {NAME}")
    assert exam["cards"] == 24


@pytest.mark.loopback
def test_key_is_sent_and_not_shown(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_API_KEY", KEY)
    with ScriptedServer(RuleModel(), requires_key=KEY) as at:
        assert doctor(command, at.url).status == 0
        done = doctor(command, at.url.replace("//", f"//me:{KEY}@"))
    assert KEY not in done.out.decode() + done.err


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("options", "name", "cure"),
    [
        ({"requires_key": KEY}, NAME, "give its key as api_key"),
        ({}, "vllm:other", "the server has scripted alone; start its server, or correct"),
    ],
    ids=["key", "model"],
)
def test_failure_is_one_line_with_the_cure(
    command: Command, options: dict[str, Any], name: str, cure: str
) -> None:
    with ScriptedServer({}, **options) as at:
        done = doctor(command, at.url, name=name)
    assert (done.status, done.out, is_complaint(done.err)) == (3, b"", True)
    assert cure in done.err


@pytest.mark.loopback
def test_server_without_a_list_of_models_can_be_reached(command: Command) -> None:
    class Unlisted(ScriptedServer):
        def _reply_to(self, request: Request) -> Reply:
            return failed(404, "not found")

    with Unlisted({}) as at:
        done = doctor(command, at.url)
    # It is asked, and cannot be examined.
    assert (done.status, "could not be examined" in done.err) == (3, True)


@pytest.mark.loopback
def test_server_that_is_down_is_one_line_with_the_cure(command: Command) -> None:
    done = doctor(command, refused_url())
    assert (done.status, done.out, is_complaint(done.err)) == (3, b"", True)
    assert "start its server or fix base_url" in done.err


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["--model", "embedded"], "has no server to ask: give vllm:NAME"),
        (["--model", "vllm:"], "give embedded, vllm:NAME"),
        (["--model", NAME, "--offline"], "leave out --offline"),
        (["--base-url", "http://localhost:1/v1"], "give both"),
        (["--model", NAME, "--base-url", "localhost:1"], "give http://HOST:PORT/v1"),
    ],
)
def test_wrong_call_asks_nothing(command: Command, arguments: list[str], cure: str) -> None:
    done = command("doctor", *arguments)
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert cure in done.err


@pytest.mark.loopback
def test_doctor_checks_the_model_of_the_settings(monkeypatch: pytest.MonkeyPatch) -> None:
    with ScriptedServer({}) as at:
        monkeypatch.setenv("RARR_MODEL", NAME)
        monkeypatch.setenv("RARR_BASE_URL", at.url)
        [finding] = [each for each in examine(offline=True) if each.name == f"model {NAME}"]
    assert (finding.state, finding.detail) == ("ok", f"served by {at.url}")
