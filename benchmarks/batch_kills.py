"""Kills runs of `rarr batch` and their workers, fills the disk, runs eight at once. Compares the results.

    python -m benchmarks.batch_kills [--texts N] [--kills N] [--seed N] [--folder DIR]

A run is killed many times. After each kill, the next run continues. A run that ends before its kill begins
again from the start. A limit on the size of files stands for a full disk; each further run has twice the
limit. Eight runs at once share a data folder without an index. With --folder, a measurement that was stopped
continues after its last kill. Processes are found by `ps`, so this needs Linux or macOS.
"""

import hashlib
import json
import os
import random
import resource
import shutil
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress
from pathlib import Path
from typing import Any, Literal, NamedTuple

from benchmarks.harness import machine, make_parser, met, table

ROOT = Path(__file__).resolve().parent.parent
CORPUS = ROOT / "examples" / "corpus"
HANG_S = 900.0  # a run hangs if it takes so many seconds more than an undisturbed run
LEFT_S = 60.0  # a process is left over if it still runs so many seconds after its run was killed
FIRST_LIMIT = 50_000  # the largest file on the full disk, in bytes, for the first run
AT_ONCE, LEAST_GAIN = 8, 1.7
LONG = 1000  # the rows of the run that compares workers; in a short run, the start takes too much of the time


class KillCounts(NamedTuple):
    """The counts after kills."""

    kills: int = 0
    runs: int = 0  # finished runs, whose results were compared
    lost: int = 0  # rows that the result lacks
    twice: int = 0  # rows that the result has twice
    different: int = 0  # rows with another result than in an undisturbed run
    processes_left: int = 0  # processes that still ran after their run was killed
    failed: int = 0  # runs that ended with an error that no kill caused

    def plus(self, **more: int) -> "KillCounts":
        return self._replace(**{name: getattr(self, name) + count for name, count in more.items()})


class KilledBatch:
    """A batch in a folder: its rows, the result of an undisturbed run, and the counts until now."""

    def __init__(self, folder: Path, texts: Sequence[str], workers: int, model: str = "embedded") -> None:
        self._folder, self._workers, self._model = folder, workers, model
        self._state = folder / "state.json"
        folder.mkdir(exist_ok=True)
        self._kept: dict[str, Any] = json.loads(self._state.read_text()) if self._state.exists() else {}
        lines = (json.dumps({"text": text, "n": number}) + "\n" for number, text in enumerate(texts))
        (folder / "in.jsonl").write_text("".join(lines))
        self.seconds: float = self._kept.get("seconds", 0.0)
        """The seconds of an undisturbed run."""
        if not self.seconds:
            self.run_seconds("warm.jsonl", workers)  # builds the index
            self.seconds = self.run_seconds("whole.jsonl", workers)
            self._save_state("seconds", self.seconds)
        self._whole = dict(self._rows("whole.jsonl"))

    def kill_often(self, what: Literal["run", "worker"], kills: int, seed: int) -> KillCounts:
        """Kills the run, or a worker, `kills` times, each time at a random moment. Compares all results."""
        total, name = KillCounts(*self._kept.get(what, ())), f"{what}.jsonl"
        chance = random.Random(f"{seed} {total.kills}")
        while total.kills < kills or (self._folder / f"{name}.batch").exists():
            running = self._start(name)
            if total.kills < kills:
                total = total.plus(kills=self._kill(running, what, chance.uniform(0, self.seconds), chance))
                print(f"{what}: {total.kills} of {kills} kills", file=sys.stderr, flush=True)  # takes minutes
            ended = running.wait(HANG_S + self.seconds)
            total = total.plus(processes_left=len(_end_remaining(running.pid)))
            if ended in (0, 2):  # 2: the worker of a row was killed twice; the next run repeats the row
                if ended == 2:
                    self.run_seconds(name, self._workers)
                total = self._compare_result(name, total)
            elif ended != -signal.SIGKILL:
                total = total.plus(failed=1)
                if total.kills == kills:  # a further run would fail too
                    break
            self._save_state(what, total)
        return total

    def fill_disk(self) -> KillCounts:
        """Repeats a run on a full disk, each time with twice the room, until it ends. Compares the result."""
        total, limit = KillCounts(), FIRST_LIMIT
        while ended := self._start("disk.jsonl", limit=limit).wait(HANG_S + self.seconds):
            total, limit = total.plus(kills=1, failed=ended != 2), 2 * limit
            if total.failed:
                return total
        return self._compare_result("disk.jsonl", total)

    def run_together(self) -> KillCounts:
        """Runs eight batches at once in a new data folder, which has no index. Compares all results."""
        shutil.rmtree(home := self._folder / "shared", ignore_errors=True)
        names = [f"at-once-{number}.jsonl" for number in range(AT_ONCE)]
        total = KillCounts()
        for name, running in [(name, self._start(name, home=home)) for name in names]:
            failed = running.wait(HANG_S + AT_ONCE * self.seconds)
            total = total.plus(failed=1) if failed else self._compare_result(name, total)
        return total

    def run_seconds(self, name: str, workers: int) -> float:
        started = time.perf_counter()
        ended = self._start(name, workers=workers).wait()
        assert ended == 0, f"rarr batch ended with {ended}"
        return time.perf_counter() - started

    def _kill(self, running: "subprocess.Popen[bytes]", what: str, after_s: float, chance: Any) -> bool:
        """Kills the run, or one of its workers, after `after_s`. Returns False if the run ended before."""
        with suppress(subprocess.TimeoutExpired):
            running.wait(after_s)
        while running.poll() is None:
            if victims := [running.pid] if what == "run" else workers_of(running.pid):
                with suppress(ProcessLookupError):  # a worker may end after `ps` has listed it
                    os.kill(chance.choice(victims), signal.SIGKILL)
                    return True
            time.sleep(0.02)
        return False

    def _compare_result(self, name: str, total: KillCounts) -> KillCounts:
        """Adds the lost, repeated and different rows of a result to `total`. Deletes the result."""
        rows = self._rows(name)
        found, numbers = dict(rows), Counter(number for number, _ in rows)
        lost = sum(number not in found for number in self._whole)
        twice = sum(count > 1 for count in numbers.values())
        different = sum(found.get(number, digest) != digest for number, digest in self._whole.items())
        (self._folder / name).unlink()
        shutil.rmtree(self._folder / f"{name}.batch")
        return total.plus(runs=1, lost=lost, twice=twice, different=different)

    def _rows(self, name: str) -> list[tuple[int, str]]:
        """Returns (number, digest) for each row of a result. The digest leaves out changing fields."""
        with (self._folder / name).open(encoding="utf-8") as lines:
            rows = ((row["n"], json.dumps(lasting_fields(row)).encode()) for row in map(json.loads, lines))
            return [(number, hashlib.sha256(row).hexdigest()) for number, row in rows]

    def _save_state(self, name: str, value: Any) -> None:
        self._kept[name] = value
        self._state.write_text(json.dumps(self._kept))

    def _start(
        self, name: str, *, workers: int | None = None, limit: int = 0, home: Path | None = None
    ) -> "subprocess.Popen[bytes]":
        argv = ["batch", "in.jsonl", "-o", name, "--full", "--corpus", str(CORPUS), "--model", self._model]
        most = (limit or resource.RLIM_INFINITY,) * 2
        return subprocess.Popen(
            [sys.executable, "-m", "rarr", *argv, "--workers", str(workers or self._workers)],
            cwd=self._folder,
            env=os.environ | {"RARR_HOME": str(home or self._folder / "home"), "PYTHONPATH": str(ROOT)},
            stderr=subprocess.DEVNULL,
            start_new_session=True,
            preexec_fn=lambda: resource.setrlimit(resource.RLIMIT_FSIZE, most),
        )


_CHANGING = ("run_id", "rarr_run_id", "retrieved_at", "seconds", "by_node")


def lasting_fields(value: Any) -> Any:
    """Returns a value without ids of runs, times and counts, which differ between two equal runs."""
    if isinstance(value, dict):
        return {name: lasting_fields(part) for name, part in value.items() if name not in _CHANGING}
    return [lasting_fields(part) for part in value] if isinstance(value, list) else value


def _processes(group: int) -> list[tuple[int, int]]:
    listed = subprocess.run(["ps", "-eo", "pid=,ppid=,pgid="], capture_output=True, text=True, check=True)
    numbers = (tuple(map(int, line.split())) for line in listed.stdout.splitlines())
    return [(pid, parent) for pid, parent, of in numbers if of == group]


def workers_of(run: int) -> list[int]:
    """Returns the workers of a run: the children of the fork server, which is a child of the run."""
    family = _processes(run)
    children = {pid for pid, parent in family if parent == run}
    return [pid for pid, parent in family if parent in children]


def _end_remaining(run: int) -> list[int]:
    """Kills the processes of a run that still run `LEFT_S` seconds after its end. Returns their ids."""
    until = time.perf_counter() + LEFT_S
    while (left := [pid for pid, _ in _processes(run)]) and time.perf_counter() < until:
        time.sleep(0.05)
    for pid in left:
        with suppress(ProcessLookupError):
            os.kill(pid, signal.SIGKILL)
    return left


def main() -> None:
    made = make_parser(__doc__)
    made.add_argument("--texts", type=int, default=300, help="rows of a run")
    made.add_argument("--kills", type=int, default=5, help="kills of each kind")
    made.add_argument("--seed", type=int, default=1, help="of the moments of kills")
    made.add_argument("--folder", type=Path, help="where to work, and to go on from")
    options = made.parse_args()
    print(f"{machine()}\n")
    text = "The Hoover Dam is {} metres high. It stands on the Colorado River. It opened in 1936."
    texts = [text.format(200 + number) for number in range(max(LONG, options.texts))]
    with tempfile.TemporaryDirectory(prefix="rarr-") as temporary:
        folder = options.folder or Path(temporary)
        batch = KilledBatch(folder, texts[: options.texts], workers=2)
        body = [(f"the {it}", batch.kill_often(it, options.kills, options.seed)) for it in ("run", "worker")]
        body += [("the disk is full", batch.fill_disk()), (f"none, {AT_ONCE} at once", batch.run_together())]
        long = KilledBatch(folder / "long", texts, workers=2)
        alone = long.run_seconds("alone.jsonl", 1)
    print(f"{options.texts} rows, 2 workers; undisturbed {batch.seconds:.1f} s\n")
    cells = [[what, *map(str, outcome), met(not any(outcome[2:]))] for what, outcome in body]
    print(table(("killed", *(name.replace("_", " ") for name in KillCounts._fields), "all 0"), cells))
    gain, rows = alone / long.seconds, f"{len(texts):,} rows"
    print(f"\n{rows}: one worker {alone:.1f} s; two gain {gain:.2f}; at least {LEAST_GAIN}: ", end="")
    print(met(gain >= LEAST_GAIN))


if __name__ == "__main__":
    main()
