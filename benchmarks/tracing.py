"""What a trace costs: time and CPU of a run with it and without, and bytes on the disk.

    python -m benchmarks.tracing

A scripted model answers in this process: for CPU without waiting, for wall time after a while, as a server
would. Runs with a trace and runs without take turns, each on a text that neither has seen.
"""

import argparse
import asyncio
import gc
import statistics
import tempfile
import time
from pathlib import Path

from benchmarks import mills
from benchmarks.report import machine
from rarr import Reviser, Settings
from rarr.testing import ScriptedModel

MOST_MS, MOST_SHARE, MOST_KB = 5.0, 0.05, 300
SIZES = (6, 24)  # queries
WARM = 3  # runs before any is measured


def main() -> None:
    """Prints a row for each measure and size."""
    options = _options()
    print(f"{machine()}; {options.runs} pairs of runs; median [quartiles] of the differences\n")
    for queries in SIZES:
        cpu = asyncio.run(differences(queries, options.runs, 0.0, cpu=True))
        _row(f"CPU, {queries} queries", *cpu, most=MOST_MS / 1000)
    for queries in SIZES:
        wall = asyncio.run(differences(queries, options.runs // 3, options.call, cpu=False))
        _row(f"wall, {queries} queries", *wall, most=MOST_SHARE * statistics.median(wall[0]))
    size = on_disk(max(SIZES), options.runs)
    print(
        f"a run of {max(SIZES)} queries on disk: {size / 1000:.0f} kB; at most {MOST_KB}:"
        f" {_met(size <= 1000 * MOST_KB)}"
    )


async def differences(queries: int, runs: int, call: float, *, cpu: bool) -> tuple[list[float], list[float]]:
    """For each pair of runs, the seconds without a trace and the seconds that a trace adds."""
    clock = time.process_time if cpu else time.perf_counter
    spent: dict[bool, list[float]] = {False: [], True: []}
    with tempfile.TemporaryDirectory() as home:
        revisers = {traced: _reviser(Path(home), call, trace=traced) for traced in spent}
        for number in range(runs + WARM):
            for traced in (number % 2 == 0, number % 2 == 1):
                text = mills.text_of(queries, queries // 4, first=queries * (2 * number + traced))
                gc.collect()
                started = clock()
                await revisers[traced].arevise(text)
                spent[traced].append(clock() - started)
        for reviser in revisers.values():
            await reviser.aclose()
    off, on = (spent[traced][WARM:] for traced in (False, True))
    return off, [b - a for a, b in zip(off, on, strict=True)]


def on_disk(queries: int, runs: int) -> float:
    """Bytes that a run takes on disk: the mean over many runs in one file."""
    with tempfile.TemporaryDirectory() as home:
        with _reviser(Path(home), 0.0, trace=True) as reviser:
            for number in range(runs):
                reviser.revise(mills.text_of(queries, queries // 4, first=queries * number))
        return sum(file.stat().st_size for file in Path(home).glob("traces.sqlite*")) / runs


def _reviser(home: Path, call: float, *, trace: bool) -> Reviser:
    model = ScriptedModel(mills.answer, latency=call)
    search, judge = mills.SlowDocuments(0), {"attribute": "rules"}
    return Reviser(Settings(model=model, models=judge, search=search, home=home, trace=trace))


def _row(name: str, off: list[float], more: list[float], *, most: float) -> None:
    middle, without = statistics.median(more), statistics.median(off)
    low, _, high = statistics.quantiles(more, n=4)
    print(
        f"{name:<18} {1000 * without:8.1f} ms without a trace, with it"
        f" {1000 * middle:+.1f} [{1000 * low:+.1f}, {1000 * high:+.1f}] ms ({middle / without:+.1%});"
        f" at most {1000 * most:.1f} ms: {_met(middle <= most)}",
        flush=True,
    )


def _met(holds: bool) -> str:
    return "met" if holds else "MISSED"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--runs", type=int, default=60, help="pairs of runs")
    parser.add_argument("--call", type=float, default=0.1, help="seconds for an answer, for wall time")
    return parser.parse_args()


if __name__ == "__main__":
    main()
