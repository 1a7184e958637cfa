"""The model of `benchmarks.scale_model`: its parts, its predictions beside runs, and larger batches.

    python -m benchmarks.scale          measures the parts, fits the model, predicts five runs, measures them
    python -m benchmarks.scale plan     plans 100,000, 10 million and a billion texts by the model that ships

The runs are of short answers that the model was not fitted to: 20, 60 and 180 by two workers, and 100 with a
scripted server, twice. Seconds are CPU time, since the machine may do other work.
"""

import argparse
import json
import os
import statistics
import tempfile
from collections.abc import Iterable
from pathlib import Path
from typing import NamedTuple

from benchmarks.batch import CALL_S
from benchmarks.overhead import scripted_server, settings_for
from benchmarks.report import machine, table
from benchmarks.scale_fit import Asked, Measured, asked, fitted
from benchmarks.scale_model import MEASURED, ScaleParts, TextShape, embedded_cpu_s, saved_share
from benchmarks.scale_parts import (
    ABOUT_TOPICS,
    Texts,
    corpus,
    index_costs,
    measured_run,
    server_costs,
    text_costs,
    topic_costs,
)
from benchmarks.scale_plan import print_plans
from benchmarks.serve import spread
from rarr import Reviser, Settings
from rarr.batches.batch_estimate import estimate_batch
from rarr.batches.column_mapping import Columns
from rarr.batches.cost_model import (
    Place,
    TextWork,
    bottleneck,
    cpu_seconds,
    seconds,
    with_model_cpu_s,
)

WORKERS = 2
RUNS = (20, 60, 180)
SERVER_TEXTS, AT_ONCE = 100, (4, 32)
MOST_ERROR = 0.2


class Compared(NamedTuple):
    """What was predicted and then measured."""

    what: str
    predicted: float
    measured: float
    judged: bool = True
    """Is the goal about it? Times of a clock depend on the other work of the machine."""

    @property
    def error(self) -> float:
        """The error, as a share of what was measured."""
        return self.predicted / self.measured - 1

    def row(self) -> list[str]:
        """Makes a row of the table."""
        met = ("met" if abs(self.error) <= MOST_ERROR else "MISSED") if self.judged else "not judged"
        return [self.what, _figure(self.predicted), _figure(self.measured), f"{self.error:+.0%}", met]


def main() -> None:
    """Prints the parts, the fit and the comparison; or the plans."""
    options = _options()
    if options.part == "plan":
        print_plans(MEASURED)
        return
    print(f"{machine()}, load {os.getloadavg()[0]:.1f} before\n")
    with tempfile.TemporaryDirectory(prefix="rarr-") as name:
        folder, texts = Path(name), Texts()
        settings, passages = corpus(folder)
        measured = _measured(folder, settings, passages, texts, options.each)
        parts, means = fitted(measured, WORKERS), asked(measured)
        _print_parts(measured, parts)
        print("\nthe model:", ", ".join(f"{name}={value:.3g}" for name, value in parts))
        print("means:", ", ".join(f"{name}={value:.3g}" for name, value in means._asdict().items()))
        print(f"\nload {os.getloadavg()[0]:.1f} before the runs\n")
        rows = [
            *_embedded_runs(folder, settings, passages, texts, parts, means),
            *_server_runs(folder, parts, means),
        ]
    print(
        table(
            ("what", "predicted", "measured", "error", f"at most {MOST_ERROR:.0%}"), [it.row() for it in rows]
        )
    )
    print(f"\nload {os.getloadavg()[0]:.1f} after")


def _measured(folder: Path, settings: Settings, passages: int, texts: Texts, each: int) -> Measured:
    starts = [
        measured_run(folder, [texts.short(1) for _ in range(WORKERS)], settings, WORKERS) for _ in range(3)
    ]
    return Measured(
        passages=passages,
        texts=text_costs(settings, texts, each),
        indexes=index_costs(),
        topics=topic_costs(settings),
        servers=server_costs(folder / "home", 12, 3),
        starts=starts,
        trivial=measured_run(
            folder, [f"Thank you, {'very ' * n}much!" for n in range(300)], settings, WORKERS
        ),
        answers=measured_run(folder, _answers(texts, 24), settings, WORKERS),
    )


def _answers(texts: Texts, count: int) -> list[str]:
    """Short answers of one to five sentences; the first one of every second answer is wrong."""
    return [texts.short(1 + number % 5, number % 2) for number in range(count)]


def _embedded_runs(
    folder: Path, settings: Settings, passages: int, texts: Texts, parts: ScaleParts, means: Asked
) -> Iterable[Compared]:
    place = Place(workers=WORKERS, cores=os.cpu_count() or 1, concurrency=settings.concurrency)
    for count in RUNS:
        answers, shapes = _answers(texts, count), [_shape(number, settings, means) for number in range(count)]
        work = TextWork(cpu_s=statistics.mean(embedded_cpu_s(parts, shape, passages) for shape in shapes))
        (folder / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in answers))
        about = estimate_batch(folder / "in.jsonl", settings, Columns(), "revise", WORKERS)
        run = measured_run(folder, answers, settings, WORKERS)
        name = f"{count} answers"
        yield Compared(f"{name}: CPU s", cpu_seconds(parts, count, work, place), run.cpu_s)
        yield Compared(f"{name}: CPU s by `--estimate`", about.cpu_seconds, run.cpu_s)
        clock_s = seconds(parts, count, work, place) or 0.0
        yield Compared(f"{name}: s of the clock", clock_s, run.seconds, judged=False)
        yield Compared(f"{name}: MB of a worker", parts.worker_mb, run.worker_mb)
        yield Compared(f"{name}: kB of results", parts.store_kb + parts.row_kb * count, run.results_kb)


def _shape(number: int, settings: Settings, means: Asked) -> TextShape:
    """Says what is known before the run of an answer of `_answers`."""
    sentences = 1 + number % 5
    return TextShape(
        sentences=sentences,
        wrong=number % 2,
        questions=sentences * means.questions,
        kept=settings.evidence_per_query,
    )


def _server_runs(folder: Path, parts: ScaleParts, means: Asked) -> Iterable[Compared]:
    texts, sentences = Texts(), [1 + number % 11 for number in range(SERVER_TEXTS)]
    wrong = sum(each // 3 for each in sentences)
    for at_once in AT_ONCE:
        rows = [texts.short(each, each // 3) for each in sentences]
        with scripted_server(CALL_S) as url:
            settings = settings_for("vllm:scripted", base_url=url, concurrency=at_once, trace=False)
            with Reviser(settings) as reviser:
                questions = sum(reviser.estimate(row).queries for row in rows) / SERVER_TEXTS
            run = measured_run(folder, rows, settings, 0, full=True)
        name = f"{SERVER_TEXTS} texts, {at_once} requests at once"
        for what in ("model_calls", "input_tokens", "output_tokens"):
            predicted = wrong * getattr(means, what)
            yield Compared(f"{name}: {what.replace('_', ' ')}", predicted, _used(folder, what))
        place = Place(workers=0, cores=os.cpu_count() or 1, concurrency=at_once)
        model_s = wrong * means.model_calls * CALL_S / SERVER_TEXTS
        work = TextWork(cpu_s=with_model_cpu_s(parts, questions), model_s=model_s)
        yield Compared(f"{name}: CPU s", SERVER_TEXTS * (work.cpu_s + parts.row_s), run.cpu_s)
        # Its process runs already. A clock tells of the model where the server is the bottleneck.
        clock_s = (seconds(parts, SERVER_TEXTS, work, place) or 0.0) - parts.start_s
        is_judged = bottleneck(parts, SERVER_TEXTS, work, place) == "model"
        yield Compared(f"{name}: s of the clock", clock_s, run.seconds, is_judged)


def _used(folder: Path, what: str) -> int:
    """Adds up the usage of the models in the results of the last run."""
    results = [json.loads(line) for line in (folder / "out.jsonl").read_text().splitlines()]
    return sum(result["rarr_revision"]["usage"][what] for result in results)


def _print_parts(measured: Measured, parts: ScaleParts) -> None:
    by_kind: dict[str, list[float]] = {}
    for shape, cpu_s in measured.texts:
        kind = f"{shape.sentences:g} sentences, {shape.wrong:g} wrong, {shape.kept:g} kept: CPU s of a text"
        by_kind.setdefault(kind, []).append(cpu_s)
    for index in measured.indexes:
        by_kind[f"search of {index.passages:,} passages: CPU ms"] = [1000 * each for each in index.search_s]
    for cost in measured.servers:
        kind = f"{cost.questions:.0f} questions, with a language model: CPU ms of a text"
        by_kind.setdefault(kind, []).append(1000 * cost.cpu_s)
    by_kind["start of a worker, and one sentence: CPU s"] = [it.workers_s / WORKERS for it in measured.starts]
    print(table(("part", "median [least, most]"), [[kind, spread(found)] for kind, found in by_kind.items()]))
    print(f"\n{ABOUT_TOPICS} texts about random topics, in one process\n")
    rows = [
        [
            str(cost.topics),
            f"{cost.searches:.1f}",
            f"{cost.saved:.0%}",
            f"{saved_share(parts, ABOUT_TOPICS, cost.topics, cost.searches, 1):.0%}",
            f"{cost.cpu_s:.3f}",
        ]
        for cost in measured.topics
    ]
    print(table(("topics", "searches of a text", "saved", "by the model", "CPU s of a text"), rows))


def _figure(value: float) -> str:
    return f"{value:,.0f}" if value >= 100 else f"{value:.3g}"


def _options() -> argparse.Namespace:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("part", nargs="?", choices=("measure", "plan"), default="measure")
    parser.add_argument("--each", type=int, default=2, help="texts of each kind that the model is fitted to")
    return parser.parse_args()


if __name__ == "__main__":
    main()
