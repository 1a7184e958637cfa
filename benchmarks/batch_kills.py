"""Kills runs of `rarr batch`, and their worker processes, at random moments, and compares what is left.

    python -m benchmarks.batch_kills [--texts N] [--kills N] [--seed N]

A run is killed again and again, and each time continues from what the last one has done. When it is finished
before its next kill, it begins afresh. Processes are found by `ps`, so this needs Linux or macOS.
"""

import json
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchmarks.harness import machine, met, parser, table

ROOT = Path(__file__).resolve().parent.parent
_CORPUS = ROOT / "examples" / "corpus"
HANG_S = 900.0
"""Seconds after which a run counts as hanging: beside other work, a run of seconds takes minutes."""
LEFT_S = 60.0
"""Seconds after which a process of a killed run counts as left over."""


class Kills(NamedTuple):
    """What came of the kills: rows lost, rows that are there twice, rows with another result, processes.

    `failed`: runs that ended with an error of their own.
    """

    kills: int
    runs: int
    lost: int
    twice: int
    different: int
    processes_left: int
    failed: int

    @property
    def clean(self) -> bool:
        """Is everything as an undisturbed run leaves it?"""
        return not (self.lost or self.twice or self.different or self.processes_left or self.failed)


class KilledBatch:
    """A batch in a folder: its rows, and what an undisturbed run makes of them."""

    def __init__(self, folder: Path, texts: Sequence[str], workers: int, model: str = "embedded") -> None:
        self._folder, self._workers, self._model = folder, workers, model
        lines = (json.dumps({"text": text, "n": number}) + "\n" for number, text in enumerate(texts))
        (folder / "in.jsonl").write_text("".join(lines))
        self._home = folder / "home"
        self._run_to_end("warm.jsonl")  # the index is built once
        started = time.perf_counter()
        self._run_to_end("whole.jsonl")
        self.seconds = time.perf_counter() - started
        """How long an undisturbed run takes."""
        self._whole = self._rows("whole.jsonl")

    def killed(self, what: Literal["run", "worker"], kills: int, seed: int) -> Kills:
        """Kills so often, each time at a random moment of an undisturbed run, and compares all results."""
        chance, name = random.Random(seed), f"{what}.jsonl"
        done = runs = lost = twice = different = left = failed = 0
        while done < kills or (self._folder / f"{name}.batch").exists():
            after_s = chance.uniform(0, self.seconds) if done < kills else None
            running, hit = self._started(name), False
            if after_s is not None:
                hit = self._kill(running, what, after_s, chance)
                done += hit
                print(f"{what}: {done} of {kills} kills", file=sys.stderr, flush=True)  # it takes minutes
            ended = running.wait(HANG_S)
            left += len(_left_over(running.pid))
            if ended in (0, 2):  # 2: a row whose worker was killed twice, which the next call repeats
                if ended == 2:
                    self._run_to_end(name)
                runs += 1
                counted = self._compared(name)
                lost, twice, different = lost + counted[0], twice + counted[1], different + counted[2]
                self._forget(name)
            elif ended != -signal.SIGKILL:
                failed += 1
                if done == kills:  # it would fail for ever
                    break
        return Kills(done, runs, lost, twice, different, left, failed)

    def _kill(
        self, running: "subprocess.Popen[bytes]", what: str, after_s: float, chance: random.Random
    ) -> bool:
        """Kills the run or one of its workers; False if the run ended, or had no worker, before."""
        try:
            running.wait(after_s)
            return False
        except subprocess.TimeoutExpired:
            pass
        victims = [running.pid] if what == "run" else _workers(running.pid)
        if not victims:
            return False
        os.kill(chance.choice(victims), signal.SIGKILL)
        return True

    def _compared(self, name: str) -> tuple[int, int, int]:
        """Counts the rows that are lost, there twice, and different from the undisturbed run."""
        rows = self._rows(name)
        numbers = Counter(row["n"] for row in rows)
        found = {row["n"]: row for row in rows}
        lost = sum(row["n"] not in found for row in self._whole)
        different = sum(found.get(row["n"], row) != row for row in self._whole)
        return lost, sum(count > 1 for count in numbers.values()), different

    def _rows(self, name: str) -> list[dict[str, Any]]:
        lines = (self._folder / name).read_text(encoding="utf-8").splitlines()
        return [lasting(json.loads(line)) for line in lines]

    def _forget(self, name: str) -> None:
        (self._folder / name).unlink()
        folder = self._folder / f"{name}.batch"
        for file in folder.iterdir():
            file.unlink()
        folder.rmdir()

    def _run_to_end(self, name: str) -> None:
        ended = self._started(name).wait()
        assert ended == 0, f"rarr batch ended with {ended}"

    def _started(self, name: str) -> "subprocess.Popen[bytes]":
        argv = ["batch", "in.jsonl", "-o", name, "--full", "--corpus", str(_CORPUS)]
        return subprocess.Popen(
            [sys.executable, "-m", "rarr", *argv, "--model", self._model, "--workers", str(self._workers)],
            cwd=self._folder,
            env=os.environ | {"RARR_HOME": str(self._home), "PYTHONPATH": str(ROOT)},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
        )


_CHANGING = ("run_id", "rarr_run_id", "retrieved_at", "seconds", "by_node")


def lasting(value: Any) -> Any:
    """Leaves out names of runs, times and saved searches, which differ between two runs of the same call."""
    if isinstance(value, dict):
        return {name: lasting(part) for name, part in value.items() if name not in _CHANGING}
    return [lasting(part) for part in value] if isinstance(value, list) else value


def _processes(group: int) -> list[tuple[int, int]]:
    """The processes of a group, each with its parent."""
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,pgid="], capture_output=True, text=True, check=True)
    numbers = (tuple(map(int, line.split())) for line in listed.stdout.splitlines())
    return [(pid, parent) for pid, parent, of in numbers if of == group]


def _workers(run: int) -> list[int]:
    """The workers are the children of the server of forks, which is a child of the run."""
    family = _processes(run)
    children = {pid for pid, parent in family if parent == run}
    return [pid for pid, parent in family if parent in children]


def _left_over(run: int) -> list[int]:
    """The processes of a run that are still there `LEFT_S` seconds after its end. They are ended."""
    until = time.perf_counter() + LEFT_S
    while (left := [pid for pid, _ in _processes(run)]) and time.perf_counter() < until:
        time.sleep(0.05)
    for pid in left:
        os.kill(pid, signal.SIGKILL)
    return left


def main() -> None:
    """Prints what is lost, there twice, different and left over after kills of runs, and of workers."""
    made = parser(__doc__)
    made.add_argument("--texts", type=int, default=24, help="rows of a run")
    made.add_argument("--kills", type=int, default=5, help="kills of each kind")
    made.add_argument("--seed", type=int, default=1, help="of the moments of kills")
    options = made.parse_args()
    print(f"{machine()}\n")
    sentences = [f"The Hoover Dam is {200 + number} metres high." for number in range(options.texts)]
    body = []
    with tempfile.TemporaryDirectory(prefix="rarr-") as folder:
        batch = KilledBatch(Path(folder), sentences, workers=2)
        for what in ("run", "worker"):
            outcome = batch.killed(what, options.kills, options.seed)
            body.append([f"the {what}", *map(str, outcome), met(outcome.clean)])
    print(f"{options.texts} rows, 2 workers; undisturbed {batch.seconds:.1f} s\n")
    print(table(("killed", *(name.replace("_", " ") for name in Kills._fields), "all 0"), body))


if __name__ == "__main__":
    main()
