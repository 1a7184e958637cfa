"""`rarr calibrate` over a real connection, and the runs that use its file afterwards."""

import json
from pathlib import Path
from typing import Any

import pytest

from cli.helpers import Command, is_complaint
from rarr import Reviser, Settings, prompts
from rarr.backends.prompted.model_calibration import calibration_path
from rarr.cli.doctor import examine
from rarr.cli.doctor.diagnosis import Diagnosis
from rarr.testing import Request, RuleModel, ScriptedServer

pytestmark = pytest.mark.loopback
MODEL = "vllm:m"
TEXT = "The Hoover Dam is 221 metres high."


@pytest.fixture
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def knows(request: Request) -> dict[str, str]:
    """A judge that is right about every mill."""
    return {"answer": "no" if "leaked" in request.user else "yes"}


def calibrate(command: Command, server: ScriptedServer, *more: str) -> Any:
    return command("calibrate", MODEL, "--base-url", server.url, *more)


def test_a_good_judge_is_calibrated_and_the_figures_are_printed(
    command: Command, home: Path, pairs: Path
) -> None:
    with ScriptedServer(knows, probability=0.9) as server:
        done = calibrate(command, server, str(pairs))
    path = calibration_path(home, MODEL)
    out = done.out.decode()
    assert (done.status, done.err) == (0, "")
    assert f"calibration: {path}, used by runs in which {MODEL} judges" in out
    other_half, by_word = (line for line in out.splitlines() if line.startswith("  other half"))
    assert other_half.split()[2:-1] == ["30", "1.00", "15/15", "=", "1.00", "15/15", "=", "1.00"]
    assert "15/15 = 1.00" in by_word
    assert all(request.body["logprobs"] is True for request in server.requests)
    assert len(server.requests) == 60
    kept = json.loads(path.read_text())["judgements"]
    assert list(kept) == ["support"]
    assert kept["support"]["prompt"] == prompts.load("confirm_support").hash


def test_a_server_without_logprobs_is_told_after_one_pair(command: Command, home: Path, pairs: Path) -> None:
    with ScriptedServer(knows) as server:
        done = calibrate(command, server, str(pairs))
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert "gives no probabilities of its answers (logprobs)" in done.err
    assert len(server.requests) == 1
    assert not home.exists()


def test_a_judge_without_a_clue_keeps_its_word(command: Command, home: Path, pairs: Path) -> None:
    with ScriptedServer(lambda request: {"answer": "yes"}, probability=0.9) as server:
        done = calibrate(command, server, str(pairs))
    assert (done.status, is_complaint(done.err)) == (4, True)
    assert "no threshold is right for 90% of the pairs that it calls supported" in done.err
    assert b"supported, no threshold" in done.out
    assert not home.exists()


def test_a_judge_that_lost_its_clue_loses_its_calibration(command: Command, home: Path, pairs: Path) -> None:
    with ScriptedServer(knows, probability=0.9) as server:
        assert calibrate(command, server, str(pairs)).status == 0
    assert calibration_path(home, MODEL).exists()
    with ScriptedServer(lambda request: {"answer": "yes"}, probability=0.9) as server:
        assert calibrate(command, server, str(pairs)).status == 4
    assert not calibration_path(home, MODEL).exists()


def test_another_judgement_keeps_its_calibration(command: Command, home: Path, pairs: Path) -> None:
    with ScriptedServer(knows, probability=0.9) as server:
        assert calibrate(command, server, str(pairs)).status == 0
        intent = [
            {"text": f"Mill {n} {verb}.", "revision": f"Mill {n} burned.", "preserved": verb == "burned"}
            for n in range(30)
            for verb in ("burned", "leaked")
        ]
        pairs.write_text("".join(json.dumps(line) + "\n" for line in intent))
        assert calibrate(command, server, str(pairs)).status == 0
    kept = json.loads(calibration_path(home, MODEL).read_text())["judgements"]
    assert sorted(kept) == ["intent", "support"]


def test_too_few_pairs_cost_nothing(command: Command, home: Path, pairs: Path) -> None:
    pairs.write_text("\n".join(pairs.read_text().splitlines()[:30]))
    with ScriptedServer(knows, probability=0.9) as server:
        done = calibrate(command, server, str(pairs))
        assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
        assert "too few pairs about support (15 true, 15 false)" in done.err
        assert server.requests == []


@pytest.mark.parametrize("model", ["embedded", "rules"])
def test_an_embedded_model_is_no_language_model(command: Command, model: str) -> None:
    done = command("calibrate", model)
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert f"{model} is no language model" in done.err


def test_a_server_that_fails_is_another_exit_status(command: Command, pairs: Path) -> None:
    def fails(request: Request) -> dict[str, str]:
        return {"answer": "perhaps"}

    with ScriptedServer(fails, probability=0.9) as server:
        done = calibrate(command, server, str(pairs))
    assert (done.status, done.out, is_complaint(done.err)) == (3, b"", True)


@pytest.mark.slow
def test_a_file_of_ones_own_is_not_used(command: Command, home: Path, pairs: Path) -> None:
    with ScriptedServer(knows, probability=0.9) as server:
        done = calibrate(command, server, str(pairs), "-o", "mine.json")
    assert b"calibration: mine.json, not used until it is in the data folder" in done.out
    assert json.loads(Path("mine.json").read_text())["model"] == MODEL
    assert not home.exists()


@pytest.mark.slow
def test_runs_use_the_file_from_then_on(command: Command, home: Path, pairs: Path) -> None:
    Path("notes").mkdir()
    Path("notes/dam.md").write_text("# Hoover Dam\n\nThe Hoover Dam is 221 metres high.")

    def supports(server: ScriptedServer) -> tuple[float | None, set[str | None], list[str]]:
        settings = Settings(
            models={"attribute": MODEL}, base_url=server.url, corpus="notes", home=home, trace=False
        )
        with Reviser(settings) as reviser:
            revision = reviser.revise(TEXT)
        asked = {request.prompt for request in server.requests}
        return revision.report.sentences[0].support, asked, [notice.code for notice in revision.warnings]

    with ScriptedServer(RuleModel()) as server:
        assert supports(server) == (1.0, {"judge_attribution"}, [])
    with ScriptedServer(knows, probability=0.9) as server:
        assert calibrate(command, server, str(pairs)).status == 0
    with ScriptedServer(RuleModel(), probability=0.6) as server:  # "yes", but hardly
        support, asked, warnings = supports(server)
        assert support is not None
        assert (support < 0.55, asked, warnings) == (True, {"confirm_support"}, [])
    with ScriptedServer(RuleModel()) as server:  # without logprobs
        assert supports(server) == (1.0, {"confirm_support", "judge_attribution"}, ["calibration_unused"])


@pytest.mark.slow
def test_the_doctor_tells_what_decides(command: Command, home: Path, pairs: Path) -> None:
    Path("rarr.toml").write_text(f'models = {{ attribute = "{MODEL}" }}\n')

    def found() -> Diagnosis:
        [finding] = [one for one in examine(offline=True) if one.name == "calibration of support"]
        return finding

    assert found() == Diagnosis(
        "calibration of support", "missing", f"none for {MODEL}: its word decides", f"rarr calibrate {MODEL}"
    )
    with ScriptedServer(knows, probability=0.9) as server:
        calibrate(command, server, str(pairs))
    assert found().state == "ok"
    assert "for a precision of 0.90" in found().detail
    path = calibration_path(home, MODEL)
    whole = path.read_text()
    path.write_text(whole.replace(prompts.load("confirm_support").hash, "0" * 12))
    assert (found().state, found().cure) == ("missing", f"rarr calibrate {MODEL}")
    assert "another version of the prompt confirm_support" in found().detail
    path.write_text(whole[:50])
    assert found().state == "broken"
    assert f"delete it, or run rarr calibrate {MODEL}" in found().detail


def test_a_damaged_file_is_one_line_before_anything_is_spent(command: Command, home: Path) -> None:
    path = calibration_path(home, MODEL)
    path.parent.mkdir(parents=True)
    path.write_text("{")
    Path("rarr.toml").write_text(f'models = {{ attribute = "{MODEL}" }}\ncorpus = "notes"\n')
    Path("notes").mkdir()
    done = command("revise", TEXT)
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert f"delete it, or run rarr calibrate {MODEL}" in done.err
