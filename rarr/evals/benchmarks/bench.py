"""The shape that every bench of the literature has, and the runner of them all.

A bench names its parts: a judge, a system or a set of rows, each with a worker that turns a row into a line,
and makes tables of rows and lines. The runner resumes what an earlier process left.
"""

import json
import re
from collections.abc import Callable, Iterable, Mapping, Sequence
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import Field

from rarr.evals import run_folder
from rarr.evals.metrics import Measured
from rarr.evals.run_folder import FinishedLine, Pairs, Worker, digest
from rarr.records import Record
from rarr.retrievers.corpus.corpus import Progress
from rarr.settings import Settings

Sampled = TypeVar("Sampled", bound=Any)
Tables = dict[str, dict[str, dict[str, Measured]]]
"""Tables by title: measures by the names of rows, such as judges."""


class Options(Record):
    """Which judges or systems to measure (none: the usual), how many rows to take, and how many at once."""

    judges: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    jobs: int = 4


class PublishedFigures(Record):
    """Figures of a paper: measures by system. `differ` says why no figure is a like-for-like comparison."""

    paper: str
    differ: str
    systems: dict[str, dict[str, float]]


class Part(NamedTuple):
    """A judge, system or set of rows: `chosen` of its `rows` are turned into lines of one `line` class.

    `at_once`: rows that a worker handles together, for each job. `then` gets the lines before the next part.
    """

    rows: Sequence[Any]
    line: type[FinishedLine]
    worker: Callable[[], Worker]
    chosen: Sequence[Any]
    at_once: int = 1
    then: Callable[[Sequence[Any]], None] = lambda lines: None


class Bench(NamedTuple):
    """A bench that is ready to run, by the `name` of its command. `tables` scores the pairs of each part.

    `counts` are those of the data, such as claims; `left_out` counts rows that cannot be used, by reason.
    """

    name: str
    title: str
    counts: Mapping[str, int]
    parts: Mapping[str, Part]
    tables: Callable[[Mapping[str, Pairs]], Tables]
    left_out: Mapping[str, int] = {}


class BenchmarkReport(Record):
    """The report of a bench, beside the figures of its paper.

    `errors` are rows that could not be judged, each with the reason; `failed` are parts without another row.
    """

    benchmark: str
    counts: dict[str, int]
    settings: dict[str, str] = Field(default_factory=dict)
    tables: Tables
    published: PublishedFigures | None = None
    errors: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    left_out: dict[str, int] = Field(default_factory=dict)


def run_bench(
    bench: Bench, out: Path, settings: Settings, options: Options, on_row: Progress | None = None
) -> BenchmarkReport:
    """Runs every part of a bench in a folder of its name in `out`, and writes the report to `out`.

    The same call continues an interrupted run. Raises `InputError` if `out` is in use, or holds other files
    or a run with other inputs.
    """
    description, pairs = run_folder.described(settings), dict[str, Pairs]()
    every, searched = [part.rows for part in bench.parts.values()], run_folder.corpus_digest(settings)
    inputs = run_folder.inputs(f"rarr bench {bench.name}", every, description, searched)
    with run_folder.claimed(out, inputs):
        for name, part in bench.parts.items():
            worker = part.worker()
            if not pairs:  # a folder without a run is free for other settings
                run_folder.begin(out, inputs)
            lines = run_folder.run_rows(
                part.rows, out / _folder_name(name), part.line, worker,
                chosen=part.chosen, jobs=part.at_once * options.jobs, on_row=on_row,
            )  # fmt: skip
            part.then(lines)
            pairs[name] = list(zip(part.chosen, lines, strict=True))
        if not bench.parts:
            run_folder.begin(out, inputs)
        lines = [(name, line) for name in pairs for _, line in pairs[name]]
        judged = {name for name, line in lines if line.is_judged}
        report = BenchmarkReport(
            benchmark=bench.title,
            counts=dict(bench.counts),
            settings=description,
            tables=bench.tables(pairs),
            published=shipped("published.json").get(bench.name),
            errors=tuple(": ".join(filter(None, (name, it.id, it.error))) for name, it in lines if it.error),
            failed=tuple(name for name in pairs if pairs[name] and name not in judged),
            left_out={reason: count for reason, count in bench.left_out.items() if count},
        )
        run_folder.finish(out, report)
    return report


def _folder_name(part: str) -> str:
    safe = re.sub(r"[^\w.-]+", "-", part).strip("-.")
    return safe if safe == part else f"{safe}-{digest(part)[:6]}"  # otherwise a/b and a-b had one folder


@cache
def shipped(name: str) -> Any:
    """Reads a file of JSON that lies beside the benches, once."""
    return json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def sampled(rows: Iterable[Sampled]) -> list[Sampled]:
    """Sorts rows by the digest of their id: a random order that needs no seed and no other row."""
    return sorted(rows, key=lambda row: digest(row.id.encode()))
