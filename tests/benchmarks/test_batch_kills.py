"""A batch that is killed, has a full disk or runs eight times at once loses no row and repeats none."""

import os
import signal
import subprocess
import sys
import time
from pathlib import Path
from typing import Literal

import pytest
from evals.doubles import write_rows

from benchmarks.batch_kills import CORPUS, KilledBatch, workers_of
from benchmarks.harness import read_lines

pytestmark = pytest.mark.slow

TEXTS = [f"The Hoover Dam is {200 + number} metres high." for number in range(12)]


@pytest.mark.parametrize("what", ["run", "worker"])
def test_killed_batch_ends_as_an_undisturbed_one(what: Literal["run", "worker"], tmp_path: Path) -> None:
    kills = KilledBatch(tmp_path, TEXTS, workers=2, model="embedded").kill_often(what, 3, seed=1)
    assert kills.kills == 3 and kills.runs and not any(kills[2:]), kills


def test_batch_on_a_full_disk_continues_and_eight_at_once_agree(tmp_path: Path) -> None:
    batch = KilledBatch(tmp_path, TEXTS, workers=1)
    full, together = batch.fill_disk(), batch.run_together()
    assert full.kills and full.runs == 1 and not any(full[2:]), full
    assert together.runs == 8 and not any(together[2:]), together


def cpu_seconds(pid: int) -> float:
    """How much processor time the process has taken."""
    user, system = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[11:13]
    return (int(user) + int(system)) / os.sysconf("SC_CLK_TCK")


@pytest.mark.skipif(sys.platform != "linux", reason="reads /proc")
def test_worker_that_is_killed_in_the_middle_of_its_result_costs_no_row(tmp_path: Path) -> None:
    long = " ".join(f"The Hoover Dam is {200 + number} metres high." for number in range(400))
    write_rows(tmp_path / "in.jsonl", {"text": long}, {"text": "It is."})
    argv = [sys.executable, "-m", "rarr", "batch", "in.jsonl", "-o", "out.jsonl", "--full", "--workers", "2"]
    argv += ["--model", "embedded", "--corpus", str(CORPUS)]
    run = subprocess.Popen(argv, cwd=tmp_path, start_new_session=True)
    while not (busy := [pid for pid in workers_of(run.pid) if cpu_seconds(pid) > 0.5]):
        time.sleep(0.02)
    run.send_signal(signal.SIGSTOP)  # nobody reads: of a long result, a pipe holds the beginning
    before = -1.0
    while before != (before := cpu_seconds(busy[0])):
        time.sleep(1)
    os.kill(busy[0], signal.SIGKILL)
    run.send_signal(signal.SIGCONT)
    try:
        assert run.wait(60) == 0
    finally:
        run.kill()
        run.wait()
    assert [row["rarr_error"] for row in read_lines(tmp_path / "out.jsonl")] == [None, None]
