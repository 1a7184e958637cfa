"""A process is killed outright, and another goes on: no row is lost, none comes twice, no number differs."""

import json
import os
import random
import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from evals.doubles import components, row, timeless, write_rows
from rarr.evals import evaluate
from rarr.evals.measures import EvalReport

ROWS = 12
TESTS = Path(__file__).parent.parent


@pytest.fixture
def data(tmp_path: Path) -> Path:
    return write_rows(tmp_path / "data.jsonl", *(row(number) for number in range(ROWS)))


def started(data: Path, out: Path, seconds: float) -> subprocess.Popen[bytes]:
    argv = [sys.executable, "-m", "evals.doubles", str(data), str(out), str(seconds), "3"]
    environment = {"PYTHONPATH": f"{TESTS.parent}:{TESTS}", "RARR_HOME": os.environ["RARR_HOME"]}
    return subprocess.Popen(argv, env=environment, stderr=subprocess.PIPE)


def done(out: Path) -> int:
    file = out / "predictions.jsonl"
    return file.read_bytes().count(b"\n") if file.exists() else 0


def killed(child: subprocess.Popen[bytes], out: Path, rows: int) -> None:
    """Kills it as soon as so many rows are done."""
    while done(out) < rows and child.poll() is None:
        time.sleep(0.002)
    child.send_signal(signal.SIGKILL)
    child.communicate()


def require_the_same(data: Path, out: Path, undisturbed: EvalReport) -> None:
    report = evaluate(data, out, components=components(), jobs=3)
    assert timeless(report) == timeless(undisturbed)
    assert report.measures == undisturbed.measures
    ids = [json.loads(line)["id"] for line in (out / "predictions.jsonl").read_text().splitlines()]
    assert sorted(ids) == sorted(f"r{number}" for number in range(ROWS))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(4))
def test_run_that_is_killed_at_any_time_is_gone_on_with(data: Path, tmp_path: Path, seed: int) -> None:
    undisturbed = evaluate(data, tmp_path / "undisturbed", components=components())
    out, moment = tmp_path / "out", random.Random(seed)
    for _ in range(3):
        child = started(data, out, 0.0)
        while not out.exists() and child.poll() is None:
            time.sleep(0.001)
        time.sleep(moment.random() * 0.3)
        child.kill()
        child.communicate()
    require_the_same(data, out, undisturbed)
