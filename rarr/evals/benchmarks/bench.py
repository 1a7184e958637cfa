"""Describes the benchmark of a published paper by its parts, and runs it.

A row is an entry of the data. A line is the result of a row, and is stored in `predictions.jsonl`. A worker
makes the lines. A part runs one judge, one system, or the whole benchmark. At the end, the benchmark makes
tables from the rows and lines.
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
"""Measurements by the title of a table, then by the name of a row (such as a judge), then by the column."""


class BenchOptions(Record):
    """The options of a benchmark run."""

    judges: tuple[str, ...] = ()  # the judges or systems to measure; empty: the default
    limit: int | None = Field(default=None, ge=1)  # the largest number of rows; None: all rows
    jobs: int = 4  # the jobs at the same time; a job handles `Part.rows_per_job` rows


class PublishedFigures(Record):
    """The figures that a paper published."""

    paper: str
    differ: str  # how the conditions of the paper differ from those of this benchmark
    systems: dict[str, dict[str, float]]  # the figures by the name of the system and of the measure


class Part(NamedTuple):
    """One part of a benchmark run. A part has one judge or one system, or is the whole benchmark."""

    rows: Sequence[Any]  # all rows of the data
    line_class: type[FinishedLine]  # the class of the lines that the worker makes
    worker: Callable[[], Worker]  # makes the worker when the part begins
    chosen: Sequence[Any]  # the rows to work on
    rows_per_job: int = 1  # the rows that one job handles together
    on_end: Callable[[Sequence[Any]], None] = lambda lines: None  # gets all lines after the last row


class Bench(NamedTuple):
    """A benchmark: its data, its parts, and the function that makes its tables."""

    name: str  # the name in the command
    title: str  # the name in the report
    counts: Mapping[str, int]  # numbers that describe the data, such as the number of claims
    parts: Mapping[str, Part]  # the parts by name
    tables: Callable[[Mapping[str, Pairs]], Tables]  # makes the tables from pairs (row, line) by part
    left_out: Mapping[str, int] = {}  # the number of unusable rows by reason


class BenchmarkReport(Record):
    """The report of a benchmark, with the figures that its paper published."""

    benchmark: str
    counts: dict[str, int]
    settings: dict[str, str] = Field(default_factory=dict)
    tables: Tables
    published: PublishedFigures | None = None
    errors: tuple[str, ...] = ()  # why rows have no result
    failures: tuple[tuple[str, str], ...] = ()  # pairs (row, why a part of its result is missing)
    failed: tuple[str, ...] = ()  # the names of the parts in which no row has a result
    left_out: dict[str, int] = Field(default_factory=dict)  # the number of unusable rows by reason


def run_bench(
    bench: Bench, out: Path, settings: Settings, options: BenchOptions, on_row: Progress | None = None
) -> BenchmarkReport:
    """Runs each part of a benchmark in its own folder inside `out`, and writes the report to `out`.

    If a run was interrupted, the same call continues the run. Raises `InputError` if another process uses
    `out`, or if `out` has files of something else, or a run with other inputs.
    """
    changed, pairs = run_folder.changed_settings(settings), dict[str, Pairs]()
    every, searched = [part.rows for part in bench.parts.values()], run_folder.corpus_digest(settings)
    inputs = run_folder.run_inputs(f"rarr bench {bench.name}", every, changed, searched)
    with run_folder.lock_run_folder(out, inputs):
        for name, part in bench.parts.items():
            worker = part.worker()
            run_folder.write_inputs(out, inputs)  # not earlier: making a worker may fail
            lines = run_folder.run_rows(
                part.rows, out / _folder_name(name), part.line_class, worker,
                chosen=part.chosen, jobs=part.rows_per_job * options.jobs, on_row=on_row,
            )  # fmt: skip
            part.on_end(lines)
            pairs[name] = list(zip(part.chosen, lines, strict=True))
        run_folder.write_inputs(out, inputs)  # a benchmark without parts needs the file too
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
    return safe if safe == part else f"{safe}-{digest(part)[:6]}"  # else a/b and a-b would be equal


@cache
def read_package_json(name: str) -> Any:
    """Returns the content of a JSON file of this package. Reads each file only once."""
    return json.loads(files(__package__).joinpath(name).read_text(encoding="utf-8"))


def in_random_order(rows: Iterable[RowT]) -> list[RowT]:
    """Sorts rows by the digests of their ids. This order is random, and is the same in each run."""
    return sorted(rows, key=lambda row: digest(row.id.encode()))
