"""Language models behind the command line, over a real connection to a scripted server."""

import json
import shutil
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from cli.helpers import Command, Result, is_complaint
from rarr import prompts
from rarr.testing import RuleModel, ScriptedServer

EXAMPLES = Path(__file__).parents[2] / "examples"
ASKED = {"check_agreement", "target_queries"}
DRAFT = (
    "A Saturn V rocket launched Apollo 11 from the Kennedy Space Center in Florida on 18 July 1969."
    " The crew liked the food on board.\n"
)


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(RuleModel()) as scripted:
        yield scripted


@pytest.fixture(autouse=True)
def _corpus() -> None:
    """A few of the example documents: indexing all takes longer than all else here."""
    Path("corpus").mkdir()
    for name in ("golden-gate-bridge.md", "apollo-11.md", "apollo-12.md"):
        shutil.copy(EXAMPLES / "corpus" / name, "corpus")
    Path("draft.md").write_text(DRAFT)


def revise(command: Command, server: ScriptedServer, *more: str) -> Result:
    options = ["--model", "vllm:some-model", "--base-url", server.url, "--corpus", "corpus"]
    return command("revise", "--file", "draft.md", *options, *more)


@pytest.mark.loopback
def test_text_is_revised_and_standard_output_is_json_alone(command: Command, server: ScriptedServer) -> None:
    done = revise(command, server, "--json")
    assert (done.status, done.err) == (0, "")
    revision = json.loads(done.out)
    assert (revision["changed"], revision["warnings"]) == (True, [])
    assert revision["usage"]["model_calls"] == len(server.requests)


@pytest.mark.slow
@pytest.mark.loopback
def test_requests_are_constrained_by_the_schemas_of_the_prompts(
    command: Command, server: ScriptedServer
) -> None:
    revise(command, server)
    bodies: list[dict[str, Any]] = [line["body"] for line in server.log]
    formats = [body["response_format"] for body in bodies]
    assert {form["json_schema"]["name"] for form in formats} == ASKED
    for form in formats:
        described = form["json_schema"]
        assert (form["type"], described["strict"]) == ("json_schema", True)
        assert described["schema"] == prompts.load(described["name"]).output
    assert {body["model"] for body in bodies} == {"some-model"}
    assert not any(key.startswith("guided") for body in bodies for key in body)


@pytest.mark.slow
@pytest.mark.loopback
def test_context_is_part_of_the_prompts(command: Command, server: ScriptedServer) -> None:
    assert revise(command, server, "--context", "What was Apollo 11?").status == 0
    assert {request.prompt for request in server.requests} == ASKED
    assert all("What was Apollo 11?" in request.user for request in server.requests)


@pytest.mark.slow
@pytest.mark.loopback
def test_calls_are_limited(command: Command, server: ScriptedServer) -> None:
    done = revise(command, server, "--max-calls", "0", "--json")
    assert (done.status, len(server.requests)) == (3, 0)
    assert {warning["code"] for warning in json.loads(done.out)["warnings"]} == {"budget_exhausted"}


@pytest.mark.loopback
def test_deadline_ends_the_run(command: Command) -> None:
    with ScriptedServer(RuleModel(), latency=30) as server:
        done = revise(command, server, "--deadline", "0.3", "--json")
    assert "budget_exhausted" in [warning["code"] for warning in json.loads(done.out)["warnings"]]


@pytest.fixture
def own_prompt() -> Path:
    """A prompt folder with a check_agreement.md of its own."""
    text = (prompts.FOLDER / "check_agreement.md").read_text(encoding="utf-8")
    Path("own").mkdir()
    file = Path("own/check_agreement.md")
    file.write_text(text.replace("<!-- user -->", "Be brief, as our house is.\n<!-- user -->"))
    return file


@pytest.mark.slow
@pytest.mark.loopback
def test_own_prompt_is_what_is_asked(command: Command, server: ScriptedServer, own_prompt: Path) -> None:
    assert revise(command, server, "--prompts", "own").status == 0
    ours = {request.prompt for request in server.requests if "as our house is" in request.system}
    assert ours == {"check_agreement"}


@pytest.mark.loopback
def test_own_prompt_with_an_unknown_variable_is_a_wrong_call(
    command: Command, server: ScriptedServer, own_prompt: Path
) -> None:
    own_prompt.write_text(own_prompt.read_text().replace("{{text}}", "{{question}}"))
    done = revise(command, server, "--prompts", "own")
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert "own/check_agreement.md" in done.err
    assert "'question'" in done.err
    assert server.requests == []


def test_model_without_a_key_is_a_wrong_call_before_anything_is_indexed_or_sent(
    command: Command, monkeypatch: pytest.MonkeyPatch, tmp_path: Path
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    done = command("revise", "One.", "--model", "openai:gpt-5-mini", "--corpus", "corpus")
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert "OPENAI_API_KEY" in done.err
    assert not (tmp_path / "home").exists()


@pytest.mark.parametrize("model", ["gpt-5-mini", "vllm:", "nobody:x"])
def test_unknown_model_is_a_wrong_call(command: Command, model: str) -> None:
    done = command("revise", "One.", "--model", model, "--corpus", "corpus")
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert "vllm:NAME" in done.err
