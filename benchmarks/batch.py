"""What `rarr batch` carries: speed by workers, a model server kept busy, memory, kills, and repeated work.

    python -m benchmarks.batch speed     answers of 150 words a second, by the number of workers, in turns
    python -m benchmarks.batch server    a scripted server of half a second: the share of its ideal rate
    python -m benchmarks.batch memory    the last tenth of the rows against the second tenth
    python -m benchmarks.batch kills     kills of the run, and of a worker, at random moments, each resumed
    python -m benchmarks.batch ray       answers a second through Ray Data, against those of rarr batch

The sizes are small by default, so that a part takes minutes. Those of the goals are `speed --texts 2000`,
`server --texts 1000`, `memory --texts 20000` and `kills --kills 20`. `memory` and `kills` revise texts of one
sentence by the embedded reader.
"""

import argparse
import gc
import json
import os
import statistics
import sys
import tempfile
import time
from collections.abc import Callable, Sequence
from pathlib import Path

from benchmarks import mills
from benchmarks.batch_kills import KilledBatch, cpu_seconds
from benchmarks.batch_ray import times_through_ray_data
from benchmarks.corpus import index_rules, write_corpus
from benchmarks.embedded import PASSAGES, EnglishLike
from benchmarks.loop_lag import EXAMPLES
from benchmarks.overhead import scripted_server, settings_for
from benchmarks.report import machine, table
from benchmarks.serve import spread
from rarr import Settings
from rarr.batches import revise_file
from rarr.batches.batch_runner import BatchRunner
from rarr.batches.counts import BatchCounts, Counting
from rarr.batches.result_store import Expected
from rarr.batches.stream_batch import revise_stream
from rarr.retrievers.corpus.index_building import build_index

SIZES = {"speed": 20, "server": 300, "memory": 2000, "kills": 24, "ray": 20}
GOALS = {"speed": 1.8, "server": 0.85, "memory": 1.05, "ray": 0.85}
CALL_S = 0.5
MILLS = 20
"""The sentences of an answer, which has about 150 words."""


def main() -> None:
    """Prints one part."""
    options = _options()
    texts = options.texts or SIZES[options.part]
    if options.part == "ray" and texts < 10:
        raise SystemExit("ray leaves out the first four texts and the last four: give --texts 10 or more")
    print(f"{machine()}, load {os.getloadavg()[0]:.1f} before\n")
    with tempfile.TemporaryDirectory(prefix="rarr-") as name:
        folder = Path(name)
        if options.part == "speed":
            speed(folder, texts, options.rounds)
        elif options.part == "server":
            server(folder, texts, options.concurrency)
        elif options.part == "ray":
            through_ray(folder, texts, options.rounds)
        elif options.part == "memory":
            memory(folder, texts)
        else:
            kills(folder, texts, options.kills, options.seed, options.model)


def speed(folder: Path, texts: int, rounds: int) -> None:
    """Prints the texts a second with one worker and with two, one after the other in each round.

    No two answers share a subject, so that no cache of a process helps it. Beside the rates stand the cores
    that were busy: one worker runs the encoder on two threads, so it does not leave the second core free.
    """
    settings, answers, passages = _answers(folder, texts)
    rates: dict[int, list[float]] = {1: [], 2: []}
    cores: dict[int, list[float]] = {1: [], 2: []}
    for _ in range(rounds):
        for workers in rates:
            seconds, cpu_s = _seconds(folder, answers, settings, workers)
            rates[workers].append(texts / seconds)
            cores[workers].append(cpu_s / seconds)
    gains = [two / one for one, two in zip(rates[1], rates[2], strict=True)]
    print(f"{texts} answers of 150 words against {passages:,} passages, {rounds} rounds, start not counted\n")
    rows = [[f"{workers} workers", spread(rates[workers]), spread(cores[workers]), ""] for workers in rates]
    goal = f"at least {GOALS['speed']:g}: {_met(statistics.median(gains) >= GOALS['speed'])}"
    head = ("", "texts a second, median [least, most]", "cores busy", "goal")
    print(table(head, [*rows, ["2 against 1", spread(gains), "", goal]]))


def through_ray(folder: Path, texts: int, rounds: int) -> None:
    """Prints the texts a second of two actors of Ray Data, and of two workers, in turns."""
    settings, answers, passages = _answers(folder, texts)
    rates: dict[str, list[float]] = {"rarr batch": [], "Ray Data": []}
    for _ in range(rounds):
        times: list[float] = []
        _streamed(folder, answers, settings, 2, times)
        rates["rarr batch"].append(_middle_rate(times, 2))
        rates["Ray Data"].append(_middle_rate(times_through_ray_data(answers, settings, actors=2), 2))
    shares = [through / alone for alone, through in zip(*rates.values(), strict=True)]
    print(f"{texts} answers against {passages:,} passages, {rounds} rounds, start and end left out\n")
    rows = [[f"{name}, texts a second", spread(found), ""] for name, found in rates.items()]
    goal = f"at least {GOALS['ray']:g}: {_met(statistics.median(shares) >= GOALS['ray'])}"
    print(table(("", "median [least, most]", "goal"), [*rows, ["share", spread(shares), goal]]))


def _answers(folder: Path, texts: int) -> tuple[Settings, list[str], int]:
    """Makes answers of 150 words and a corpus about them, and returns the number of its passages as well."""
    source = folder / "source"
    source.mkdir()
    write_corpus(source, PASSAGES, EnglishLike(0))
    known = (mills.document(number) for number in range(0, MILLS * texts, 4))
    (source / "mills.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in known))
    passages = build_index(source, folder / "index", **index_rules()).passages
    settings = Settings(corpus=folder / "index", home=folder / "home", trace=False)
    answers = [mills.text_of(MILLS, MILLS // 4, first=MILLS * number) for number in range(texts)]
    return settings, answers, passages


def _seconds(folder: Path, texts: Sequence[str], settings: Settings, workers: int) -> tuple[float, float]:
    """The seconds, and the CPU seconds of all processes, that so many texts take.

    They are counted from the first result of the last worker to the last result.
    """
    times: list[float] = []
    cpu_s: list[float] = []
    _streamed(folder, texts, settings, workers, times, lambda: cpu_s.append(cpu_seconds(os.getpgrp())))
    share = len(texts) / (len(texts) - workers)
    return (times[-1] - times[workers - 1]) * share, (cpu_s[-1] - cpu_s[workers - 1]) * share


def _middle_rate(times: Sequence[float], workers: int) -> float:
    """The texts a second without the first two and the last two of each worker.

    Ray Data hands out a result when the next is there, but for the last ones, which come together.
    """
    first, last = 2 * workers - 1, len(times) - 2 * workers - 1
    return (last - first) / (times[last] - times[first])


def _streamed(
    folder: Path,
    texts: Sequence[str],
    settings: Settings,
    workers: int | None,
    times: list[float],
    at_result: Callable[[], None] = lambda: None,
) -> BatchCounts:
    (folder / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))

    def write(line: bytes) -> bool:
        times.append(time.perf_counter())
        at_result()
        return True

    counts = revise_stream(folder / "in.jsonl", write, settings=settings, workers=workers)
    assert not counts.errors, counts.first_error
    return counts


def server(folder: Path, texts: int, concurrency: int) -> None:
    """Prints the share of the rate that the server could give, if it always had `concurrency` requests."""
    answers = [mills.text_of(6, 2, first=6 * number) for number in range(texts)]
    with scripted_server(CALL_S) as url:
        settings = settings_for("vllm:scripted", base_url=url, concurrency=concurrency, trace=False)
        before, started = time.process_time(), time.perf_counter()
        counts = _streamed(folder, answers, settings, None, [])
        seconds, busy = time.perf_counter() - started, time.process_time() - before
    share = counts.model_calls * CALL_S / concurrency / seconds
    at_once = BatchRunner(settings, {}, None).at_once
    print(
        f"{texts} texts, {counts.model_calls} calls of {CALL_S:g} s, {concurrency} at once, {at_once} texts"
        f" at once: {seconds:.1f} s, {texts / seconds:.1f} texts/s, {share:.0%} of the ideal;"
        f" at least {GOALS['server']:.0%}: {_met(share >= GOALS['server'])}"
    )
    print(f"CPU of this process a text: {1000 * busy / texts:.1f} ms, {busy / seconds:.0%} of the time")


def memory(folder: Path, texts: int) -> None:
    """Prints the mean memory of this process, which does all, in each tenth of the rows."""
    lines = (
        json.dumps({"text": f"The Hoover Dam is {number} metres high."}) + "\n" for number in range(texts)
    )
    (folder / "in.jsonl").write_text("".join(lines))
    found: list[float] = []

    def measure(done: Counting, expected: Expected) -> None:
        if done.rows % max(1, texts // 200) == 0:
            gc.collect()
            found.append(_resident())
        if done.rows % max(1, texts // 20) == 0:  # the run takes long, and may be cut off
            print(f"{done.rows} rows: {_resident():.1f} MB", file=sys.stderr, flush=True)

    settings = Settings(corpus=EXAMPLES / "corpus", home=folder / "home", model="embedded", trace=False)
    revise_file(folder / "in.jsonl", folder / "out.jsonl", settings=settings, workers=0, on_progress=measure)
    tenth = len(found) // 10
    tenths = [statistics.mean(found[tenth * place : tenth * (place + 1)]) for place in range(10)]
    print(f"{texts} rows, MB in each tenth: {', '.join(f'{mean:.1f}' for mean in tenths)}")
    print(
        f"the last against the second: {tenths[-1] / tenths[1] - 1:+.1%}; at most {GOALS['memory'] - 1:+.0%}:"
        f" {_met(tenths[-1] <= GOALS['memory'] * tenths[1])}"
    )


def kills(folder: Path, texts: int, count: int, seed: int, model: str) -> None:
    """Prints what is lost, there twice, different and left over after kills of runs, and of workers."""
    sentences = [f"The Hoover Dam is {200 + number} metres high." for number in range(texts)]
    batch = KilledBatch(folder, sentences, workers=2, model=model)
    rows = []
    for what in ("run", "worker"):
        outcome = batch.killed(what, count, seed)
        rows.append([f"the {what}", *map(str, outcome), _met(outcome.clean)])
        print(f"{what}: {outcome}", flush=True)  # the other kind takes minutes
    print(f"{texts} rows by {model}, 2 workers; undisturbed {batch.seconds:.1f} s\n")
    head = (
        "killed",
        "kills",
        "whole runs",
        "rows lost",
        "rows twice",
        "rows different",
        "processes left",
        "failed",
    )
    print(table((*head, "all 0"), rows))


def _resident() -> float:
    return int(Path("/proc/self/statm").read_text().split()[1]) * os.sysconf("SC_PAGE_SIZE") / 1e6


def _met(holds: bool) -> str:
    return "met" if holds else "MISSED"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", choices=tuple(SIZES))
    parser.add_argument("--texts", type=int, default=0, help="rows of a run")
    parser.add_argument("--rounds", type=int, default=3, help="rounds of speed and ray")
    parser.add_argument("--concurrency", type=int, default=64, help="requests at once of server")
    parser.add_argument("--kills", type=int, default=5, help="kills of each kind")
    parser.add_argument("--seed", type=int, default=1, help="of the moments of kills")
    parser.add_argument("--model", choices=("embedded",), default="embedded", help="model of kills")
    return parser.parse_args()


if __name__ == "__main__":
    main()
