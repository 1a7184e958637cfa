"""What the benchmarks share: options, sampling, the folder of a run, the report, published figures."""

import hashlib
import json
import re
from collections.abc import Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from functools import cache
from importlib.resources import files
from pathlib import Path
from typing import Any, TypeVar

from pydantic import Field

from rarr.errors import InputError
from rarr.evals import run_folder
from rarr.evals.metrics.statistics import Measured
from rarr.evals.rows import ClaimRow, Kind, Unreadable, read_all
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.evals.run_folder import RowWithId
from rarr.evals.verified_claims import VerifiedRow, verified_rows
from rarr.records import Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.models.chat import name_of


class Options(Record):
    """The options of benchmarks: the judges, how many rows to take, and how many at once.

    Without `judges`, the model of the settings reads the claims as cards. The rows have a random order that
    is always the same, so that the first `limit` are a sample.
    """

    judges: tuple[str, ...] = ()
    limit: int | None = None
    jobs: int = 4


class PublishedFigures(Record):
    """Figures of a paper: the measures of each system, by their names. `differ` tells how its rows differ.

    None of them is a like-for-like comparison.
    """

    paper: str
    differ: str
    systems: dict[str, dict[str, float]]


class ScoreTable(Record):
    """Measures by the names of rows, such as judges. `is_published`: papers print these measures."""

    title: str
    rows: dict[str, dict[str, Measured]]
    is_published: bool = False


class BenchmarkReport(Record):
    """The report of a benchmark. `counts` are those of its data, such as claims.

    `errors` are rows that could not be judged, each with the reason; `failed` names the judges or systems for
    which that holds of every row.
    """

    benchmark: str
    counts: dict[str, int]
    settings: dict[str, str] = Field(default_factory=dict)
    tables: tuple[ScoreTable, ...]
    published: PublishedFigures | None = None
    errors: tuple[str, ...] = ()
    failed: tuple[str, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()
    left_out: dict[str, int] = Field(default_factory=dict)


class BenchmarkClaim(ClaimRow):
    """A claim with the properties by which results are told apart, such as the system that wrote it."""

    groups: dict[str, str]


Judged = Sequence[tuple[BenchmarkClaim, VerifiedRow]]
Sampled = TypeVar("Sampled", bound=RowWithId)


@cache
def published(name: str) -> PublishedFigures:
    """Returns the figures of the paper of a benchmark."""
    figures = json.loads(files(__package__).joinpath("published.json").read_text(encoding="utf-8"))
    return PublishedFigures(**figures[name])


def digest(text: str) -> str:
    """Returns a number that the text alone decides, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def sampled(rows: Iterable[Sampled]) -> list[Sampled]:
    """Sorts rows by the digest of their id: a random order that needs no seed and no other row."""
    return sorted(rows, key=lambda row: digest(row.id))


def source_rows(data: Path, name: str, kind: type[Kind]) -> list[Kind]:
    """Reads all rows of the file `name` of the folder `data`. Raises `InputError` if it lacks that file."""
    if not (data / name).is_file():
        raise InputError(f"{data} has no {name}: give the folder that holds it")
    return read_all(data / name, kind, "those of its publishers")


def folder_name(name: str) -> str:
    """Makes the name of the folder of a judge or system."""
    return re.sub(r"[^\w.-]+", "-", name).strip("-.") or "run"


@contextmanager
def benchmark_folder(
    out: Path, command: str, data: str, settings: Settings, **more: Any
) -> Iterator[dict[str, Any]]:
    """Claims the folder of a benchmark, and yields the inputs of the run. `data` is a digest of its rows.

    Raises `InputError` if the folder is in use, or holds other files or a run with other inputs.
    """
    inputs = run_inputs(data, described(settings) | {"command": command, **more})
    with run_folder.claimed(out, inputs):
        run_folder.begin(out, inputs)
        yield inputs


def judged_claims(
    claims: Sequence[BenchmarkClaim],
    out: Path,
    command: str,
    settings: Settings,
    options: Options,
    on_row: Progress | None,
) -> dict[str, list[tuple[BenchmarkClaim, VerifiedRow]]]:
    """Verifies the claims by each judge, each in a folder of its own in `out`; by the name of the judge."""
    known = {claim.id: claim for claim in claims}
    data = digest("\n".join(claim.model_dump_json() for claim in claims))
    judged = {}
    for judge, its in judges_of(settings, options).items():
        verified = verified_rows(
            claims, data, out / folder_name(judge), its,
            command=command, jobs=options.jobs, limit=options.limit, on_row=on_row,
        )  # fmt: skip
        judged[judge] = [(known[row.id], row) for row in verified.rows]
    return judged


def judges_of(settings: Settings, options: Options) -> dict[str, Settings]:
    """Returns the settings of each judge by its name: of the options, or of the settings alone."""
    if not options.judges:
        return {name_of(settings.models.get("attribute", settings.model)): settings}
    return {
        judge: settings.model_copy(update={"models": settings.models | {"attribute": judge}})
        for judge in options.judges
    }


def errors_of(judged: Mapping[str, Judged]) -> dict[str, Any]:
    """Returns the fields `errors` and `failed` of a report over judged claims."""
    rows = {judge: [row for _, row in pairs] for judge, pairs in judged.items()}
    return {
        "errors": tuple(
            f"{judge}: {row.id}: {row.error}" for judge, each in rows.items() for row in each if row.error
        ),
        "failed": tuple(judge for judge, each in rows.items() if all(row.label is None for row in each)),
    }
