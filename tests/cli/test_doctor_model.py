"""`rarr doctor --model`: asks a model over a real connection, shows what it can do, and keeps it."""

import json
from pathlib import Path
from typing import Any

import pytest
from tools.asking import KEY
from tools.models.probed_servers import NAME, answered, server

from cli.helpers import Command, Result, is_complaint
from rarr import Reviser, Settings
from rarr.cli.doctor import examine
from rarr.testing import Request, RuleModel, ScriptedServer, Status, refused_url
from rarr.testing.replies import Reply, failed

EXAMPLES = Path(__file__).parents[2] / "examples"
TEXT = "The Golden Gate Bridge opened in 1935."


def doctor(command: Command, url: str, *more: str, name: str = NAME) -> Result:
    return command("doctor", "--model", name, "--base-url", url, *more)


def asking() -> ScriptedServer:
    """A server without schema, n and logprobs, which answers the probes and the prompts of a run."""
    rules = RuleModel()

    def answer(request: Request) -> Any:
        probed = request.user.startswith("Which colour") or "Count from one" in request.user
        return answered(request) if probed else rules(request)

    return server(answer, dialect="plain", rejects=["logprobs"])


@pytest.mark.loopback
def test_table_shows_abilities_cost_and_file(command: Command, tmp_path: Path) -> None:
    with server() as capable:
        done = doctor(command, capable.url)
    shown = done.out.decode()
    assert (done.status, done.err) == (0, "")
    assert shown.startswith(f"{NAME} at {capable.url}, ")
    assert "structured answers  yes      JSON schema; the answer fits it\n" in shown
    [file] = (tmp_path / "home/models").iterdir()
    tokens = capable.tokens
    cost = f"asked: 11 requests, {tokens.input:,} tokens in, {tokens.output:,} out; kept in {file}\n"
    assert shown.endswith(cost)


@pytest.mark.loopback
def test_json_is_the_profile_that_is_kept(command: Command, tmp_path: Path) -> None:
    with server() as capable:
        done = doctor(command, capable.url, "--json")
    [file] = (tmp_path / "home/models").iterdir()
    assert json.loads(done.out) == json.loads(file.read_text())


@pytest.mark.loopback
def test_key_is_in_neither_output_nor_file(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_API_KEY", KEY)
    with server() as at:
        done = doctor(command, at.url.replace("//", f"//me:{KEY}@"))
    [file] = (tmp_path / "home/models").iterdir()
    assert KEY not in file.read_text() + done.out.decode()


@pytest.mark.loopback
@pytest.mark.parametrize(
    ("options", "name", "cure"),
    [
        ({"requires_key": KEY}, NAME, "give its key as api_key"),
        ({}, "vllm:other", "the server has scripted alone; give a name that it lists"),
        ({"plan": [Status(500)]}, NAME, "look at the log of its server"),
    ],
    ids=["key", "model", "broken"],
)
def test_failure_is_one_line_with_the_cure(
    command: Command, tmp_path: Path, options: dict[str, Any], name: str, cure: str
) -> None:
    with ScriptedServer({}, **options) as at:
        done = doctor(command, at.url, name=name)
    assert (done.status, done.out, is_complaint(done.err)) == (3, b"", True)
    assert cure in done.err
    assert not any((tmp_path / "home/models").iterdir())


@pytest.mark.loopback
def test_server_that_still_loads_its_model_is_waited_for(command: Command) -> None:
    class Loading(ScriptedServer):
        def _reply_to(self, request: Request) -> Reply:
            return failed(503, "Loading model")

    with Loading({}) as at:
        done = doctor(command, at.url)
    assert (done.status, done.err.count("\n")) == (3, 1)
    assert "Loading model; wait until it is ready" in done.err


@pytest.mark.loopback
def test_server_that_is_down_is_one_line_with_the_cure(command: Command) -> None:
    done = doctor(command, refused_url())
    assert (done.status, done.out, is_complaint(done.err)) == (3, b"", True)
    assert "start its server or mend base_url" in done.err


@pytest.mark.parametrize(
    ("arguments", "cure"),
    [
        (["--model", "embedded"], "has no server to ask: give vllm:NAME"),
        (["--model", "vllm:"], "give embedded, rules, vllm:NAME"),
        (["--model", NAME, "--offline"], "leave out --offline"),
        (["--base-url", "http://localhost:1/v1"], "give both"),
        (["--model", NAME, "--base-url", "localhost:1"], "give http://HOST:PORT/v1"),
    ],
)
def test_wrong_call_asks_nothing(command: Command, arguments: list[str], cure: str) -> None:
    done = command("doctor", *arguments)
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert cure in done.err


def test_home_that_cannot_be_written_is_told_before_anything_is_asked(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "file").write_text("")
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "file/home"))
    done = doctor(command, "http://127.0.0.1:9/v1")
    assert (done.status, "RARR_HOME" in done.err) == (2, True)


def revise(at: ScriptedServer) -> list[Request]:
    """The requests of a run."""
    before = len(at.requests)
    with Reviser(
        Settings(model=NAME, base_url=at.url, corpus=EXAMPLES / "corpus/golden-gate-bridge.md")
    ) as r:
        assert r.revise(TEXT).text == TEXT.replace("1935", "1937")
    return at.requests[before:]


@pytest.mark.slow
@pytest.mark.loopback
def test_run_after_it_sends_nothing_that_is_refused(command: Command) -> None:
    with asking() as plain:
        unknown = revise(plain)
        assert any("response_format" in request.body for request in unknown)
        assert doctor(command, plain.url).status == 0
        known = revise(plain)
    refused = {"response_format", "tools", "n", "logprobs"}
    assert not any(refused & request.body.keys() for request in known)
    assert len(known) < len(unknown)


@pytest.mark.slow
@pytest.mark.loopback
def test_profile_that_turns_out_wrong_adapts_and_is_forgotten(command: Command, tmp_path: Path) -> None:
    with server() as capable:
        assert doctor(command, capable.url).status == 0
        port = int(capable.url.split(":")[2].partition("/")[0])
    with ScriptedServer(RuleModel(), dialect="plain", port=port) as changed:
        revise(changed)
    assert list((tmp_path / "home/models").iterdir()) == []


@pytest.mark.loopback
def test_doctor_tells_whether_the_model_was_asked(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with server() as capable:
        monkeypatch.setenv("RARR_MODEL", NAME)
        monkeypatch.setenv("RARR_BASE_URL", capable.url)
        assert f"not asked what it can do: rarr doctor --model {NAME} asks" in detail()
        posted = [request for request in capable.requests if request.method == "POST"]
        assert posted == []
        assert command("doctor", "--model", NAME).status == 0
        assert "asked what it can do on 20" in detail()


def detail() -> str:
    [finding] = [finding for finding in examine(offline=True) if finding.name == f"model {NAME}"]
    return finding.detail
