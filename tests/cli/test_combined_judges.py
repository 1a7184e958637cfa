"""Several judges as one over a real connection: the fit, and the claims that they judge afterwards."""

import json
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from cli.helpers import Command, is_complaint
from rarr import ClaimVerifier, Settings, SettingsError, Verification
from rarr.backends.judge_weights import read_weights
from rarr.backends.prompted.model_calibration import calibration_path
from rarr.cli.doctor import examine
from rarr.testing import Request, ScriptedServer

pytestmark = [pytest.mark.loopback, pytest.mark.slow, pytest.mark.usefixtures("pairs")]
BOTH = "vllm:knows+vllm:guesses"
WITH_RULES = "rules+vllm:knows"


@pytest.fixture(autouse=True)
def home(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Path:
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "data"))
    return tmp_path / "data"


def judge(request: Request) -> dict[str, str]:
    """One model is right about every mill; the other says yes about every mill with an even number."""
    right = "leaked" not in request.user
    yes = right if request.model == "knows" else any(f"Mill {n} " in request.user for n in range(0, 30, 2))
    if request.prompt == "confirm_support":
        return {"answer": "yes" if yes else "no"}
    return {"reason": "", "verdict": "attributable" if yes else "extrapolatory"}


def server(answer: Callable[[Request], dict[str, str]] = judge, **more: Any) -> ScriptedServer:
    return ScriptedServer(answer, **more)


def calibrate(command: Command, served: ScriptedServer, name: str, *more: str) -> Any:
    return command("calibrate", name, "--base-url", served.url, "pairs.jsonl", *more)


def verified(served: ScriptedServer, name: str, claim: str) -> Verification:
    settings = Settings(models={"attribute": name}, base_url=served.url)
    with ClaimVerifier(settings) as verifier:
        return verifier.verify(claim, "Mill 7 burned.")


def test_the_judge_that_knows_gets_the_weight_and_decides(command: Command, home: Path) -> None:
    with server() as served:
        done = calibrate(command, served, BOTH)
        right, wrong = (verified(served, BOTH, f"Mill 7 {verb}.") for verb in ("burned", "leaked"))
    out = done.out.decode()
    assert (done.status, done.err) == (0, "")
    kept = read_weights(home, BOTH)
    assert kept is not None
    knows, guesses = kept.regression.weights.values()
    assert knows > 10 * abs(guesses)
    assert f"weights: vllm:knows {knows:.2f}, vllm:guesses {guesses:.2f}; constant" in out
    assert f"calibration: {calibration_path(home, BOTH)}, used by runs in which {BOTH} judges" in out
    by = {
        line.split(",")[1].split()[1]: line for line in out.splitlines() if line.startswith("  other half, ")
    }
    assert "15/15 = 1.00" in by["vllm:knows"] and "15/15" not in by["vllm:guesses"]
    # By their words the judges give 1 and 0, then 0 and 0.
    assert right.probability == pytest.approx(kept.support({"vllm:knows": 1.0, "vllm:guesses": 0.0}))
    assert wrong.probability == pytest.approx(kept.support({"vllm:knows": 0.0, "vllm:guesses": 0.0}))
    assert (right.label, wrong.label) == ("attributable", "extrapolatory")


def test_a_calibration_of_a_judge_is_used_first(command: Command) -> None:
    with server(probability=0.9) as served:
        assert calibrate(command, served, "vllm:knows").status == 0
        before = len(served.requests)
        assert calibrate(command, served, BOTH).status == 0
        asked = {(request.model, request.prompt) for request in served.requests[before:]}
    assert asked == {("knows", "confirm_support"), ("guesses", "judge_attribution")}


def test_weights_are_refused_after_a_judge_was_calibrated_anew(command: Command) -> None:
    with server(probability=0.9) as served:
        assert calibrate(command, served, BOTH).status == 0
        assert calibrate(command, served, "vllm:knows").status == 0
        with pytest.raises(SettingsError, match="were fitted with another calibration"):
            verified(served, BOTH, "Mill 7 burned.")


def test_weights_of_another_wording_are_refused(command: Command) -> None:
    with server() as served:
        assert calibrate(command, served, BOTH).status == 0
    Path("claim.md").write_text("Mill 7 burned.")
    done = command("verify", "Mill 7 burned.", "--against", "claim.md", "--judge", BOTH, "--wording", "nli")
    assert (done.status, is_complaint(done.err)) == (2, True)
    assert "another calibration, prompt or wording of a judge" in done.err


def test_judges_without_weights_are_refused_with_the_cure(command: Command) -> None:
    Path("claim.md").write_text("Mill 7 burned.")
    for name in (BOTH, WITH_RULES, "embedded+rules"):
        done = command("verify", "Mill 7 burned.", "--against", "claim.md", "--judge", name)
        assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
        assert done.err == f"rarr: no weights are fitted for {name}: run rarr calibrate {name}\n"


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("calibrate", BOTH, "--precision", "0.8"), "--precision belongs to one language model"),
        (("calibrate", "embedded+embedded"), "embedded+embedded has the judge embedded twice"),
        (("revise", "Mill 7 burned.", "--model", BOTH), "is not a language model, and judges only support"),
        (("calibrate", BOTH, "intent.jsonl"), "there are no pairs about support"),
        (("calibrate", BOTH, "empty.jsonl"), "passage 1 of the evidence is empty"),
    ],
)
def test_wrong_calls_are_one_line_and_cost_nothing(
    command: Command, pairs: Path, arguments: tuple[str, ...], message: str
) -> None:
    intent = {"text": "Mill 1 burned.", "revision": "Mill 2 burned.", "preserved": True}
    Path("intent.jsonl").write_text(json.dumps(intent))
    nothing = {"claim": "Mill 1 burned.", "evidence": " ", "supported": False}
    Path("empty.jsonl").write_text(pairs.read_text() + json.dumps(nothing))
    with server() as served:
        done = command(*arguments, "--base-url", served.url)
        assert (done.status, is_complaint(done.err), served.requests) == (2, True, [])
    assert message in done.err


def test_a_judge_that_fails_is_another_exit_status_and_keeps_nothing(command: Command, home: Path) -> None:
    with server(lambda request: {"verdict": "perhaps"}) as served:
        done = calibrate(command, served, BOTH)
    assert (done.status, done.out, is_complaint(done.err)) == (3, b"", True)
    assert not home.exists()


def test_pairs_that_rules_cannot_judge_are_told(command: Command, pairs: Path) -> None:
    lines = [
        {"claim": claim, "evidence": f"{claim} {n}", "supported": False}
        for n, claim in enumerate(["it is nice."] * 4)
    ]
    pairs.write_text(pairs.read_text() + "".join(json.dumps(line) + "\n" for line in lines))
    with server() as served:
        done = calibrate(command, served, WITH_RULES)
    assert (done.status, done.err) == (0, "rarr: warning: 4 pairs left out, which rules could not judge\n")


def test_a_file_of_ones_own_is_not_used(command: Command, home: Path) -> None:
    with server() as served:
        done = calibrate(command, served, BOTH, "-o", "mine.json")
    assert b"calibration: mine.json, not used until it is in the data folder" in done.out
    assert json.loads(Path("mine.json").read_text())["judge"] == BOTH
    assert not home.exists()


def test_the_doctor_tells_what_is_missing(command: Command) -> None:
    Path("rarr.toml").write_text(f'models = {{ attribute = "{BOTH}" }}\n')
    findings = {finding.name: finding for finding in examine(offline=True)}
    assert (findings["model"].state, "run rarr calibrate" in findings["model"].detail) == ("broken", True)
    with server() as served:
        assert calibrate(command, served, BOTH).status == 0
    findings = {finding.name: finding for finding in examine(offline=True)}
    assert "model" not in findings
    assert findings["calibration of support"].state == "missing"
