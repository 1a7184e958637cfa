"""Describes the benchmark of a published paper by its parts, and runs it.

A part is a judge or a system, or the whole run. Its worker makes a result (a line) from each row. The
benchmark makes tables from rows and lines. The same call continues an interrupted run.
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
from rarr.evals.metrics import Measurement
from rarr.evals.run_folder import FinishedLine, Pairs, Worker, digest
from rarr.records import Record
from rarr.retrievers.corpus.corpus import Progress
from rarr.settings import Settings

RowT = TypeVar("RowT", bound=Any)
Tables = dict[str, dict[str, dict[str, Measurement]]]
"""Measures by the title of a table, the name of a row (such as a judge), and the name of a column."""


class BenchOptions(Record):
    """The judges or systems to measure (none: the default), the most rows (`limit`), and rows at a time."""

    judges: tuple[str, ...] = ()
    limit: int | None = Field(default=None, ge=1)
    jobs: int = 4


class PublishedFigures(Record):
    """The figures of a paper, by system and measure. `differ`: how the conditions of the paper differ."""

    paper: str
    differ: str
    systems: dict[str, dict[str, float]]


class Part(NamedTuple):
    """A judge or a system, or the whole run. The worker makes a line of `line_class` from each `chosen` row.

    `at_once`: the rows that a job handles together. `then`: is called with all lines at the end of the part.
    """

    rows: Sequence[Any]
    line_class: type[FinishedLine]
    worker: Callable[[], Worker]
    chosen: Sequence[Any]
    rows_per_job: int = 1
    on_end: Callable[[Sequence[Any]], None] = lambda lines: None


class Bench(NamedTuple):
    """A benchmark with its name in the command. `tables` scores the pairs (row, line) of each part.

    `counts` describe the data, such as the number of claims. `left_out` counts unusable rows by reason.
    """

    name: str
    title: str
    counts: Mapping[str, int]
    parts: Mapping[str, Part]
    tables: Callable[[Mapping[str, Pairs]], Tables]
    left_out: Mapping[str, int] = {}


class BenchmarkReport(Record):
    """The report of a benchmark, with the `published` figures of its paper.

    `errors`: why rows were not judged. `failures`: why parts of rows were not. `failed`: parts without a row.
    """

    benchmark: str
    counts: dict[str, int]
    settings: dict[str, str] = Field(default_factory=dict)
    tables: Tables
    published: PublishedFigures | None = None
    errors: tuple[str, ...] = ()
    failures: tuple[tuple[str, str], ...] = ()
    failed: tuple[str, ...] = ()
    left_out: dict[str, int] = Field(default_factory=dict)


def run_bench(
    bench: Bench, out: Path, settings: Settings, options: BenchOptions, on_row: Progress | None = None
) -> BenchmarkReport:
    """Runs each part of a benchmark in its own folder inside `out`, and writes the report to `out`.

    The same call continues an interrupted run. Raises `InputError` if `out` is in use, has other files, or
    has a run with other inputs.
    """
    changed, pairs = run_folder.changed_settings(settings), dict[str, Pairs]()
    every, searched = [part.rows for part in bench.parts.values()], run_folder.corpus_digest(settings)
    inputs = run_folder.run_inputs(f"rarr bench {bench.name}", every, changed, searched)
    with run_folder.lock_run_folder(out, inputs):
        for name, part in bench.parts.items():
            worker = part.worker()
            run_folder.write_inputs(out, inputs)  # after a worker was made, which may fail
            lines = run_folder.run_rows(
                part.rows, out / _folder_name(name), part.line_class, worker,
                chosen=part.chosen, jobs=part.rows_per_job * options.jobs, on_row=on_row,
            )  # fmt: skip
            part.on_end(lines)
            pairs[name] = list(zip(part.chosen, lines, strict=True))
        run_folder.write_inputs(out, inputs)  # also of a benchmark without parts
        lines = [(name, line) for name in pairs for _, line in pairs[name]]
        judged = {name for name, line in lines if line.is_judged}
        report = BenchmarkReport(
            benchmark=bench.title,
            counts=dict(bench.counts),
            settings=changed,
            tables=bench.tables(pairs),
            published=read_package_json("published.json").get(bench.name),
            errors=tuple(": ".join(filter(None, (name, it.id, it.error))) for name, it in lines if it.error),
            failures=tuple((f"{name}, row {it.id!r}", why) for name, it in lines for why in it.failures),
            failed=tuple(name for name in pairs if pairs[name] and name not in judged),
            left_out={reason: count for reason, count in bench.left_out.items() if count},
        )
        run_folder.write_report(out, report)
    return report


def _folder_name(part: str) -> str:
    safe = re.sub(r"[^\w.-]+", "-", part).strip("-.")
    return safe if safe == part else f"{safe}-{digest(part)[:6]}"  # the digest keeps a/b and a-b apart


@cache
def read_package_json(name: str) -> Any:
    """Returns the content of a JSON file of this package. Reads each file once."""
    return json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def in_random_order(rows: Iterable[RowT]) -> list[RowT]:
    """Returns the rows in an order that looks random and is always the same: by the digests of their ids."""
    return sorted(rows, key=lambda row: digest(row.id.encode()))
