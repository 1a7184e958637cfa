"""Judges the claims of a benchmark by one judge or several, each in a folder of its own."""

import hashlib
import re
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Any

from rarr.errors import InputError
from rarr.evals.claim_scores import ClaimScores
from rarr.evals.rows import RowEvidence
from rarr.evals.verified_claims import VerificationReport, VerifiedRow, verify_claims
from rarr.records import AttributionClass, Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.models.chat import name_of
from rarr.tools.storage.files import write_lines, write_whole, writing

CLAIMS, REPORT = "claims.jsonl", "report.json"


class BenchmarkClaim(Record):
    """A claim with its evidence and the judgement of people or of the construction.

    `groups` has the value of each property by which results are told apart, such as the system that wrote
    the claim.
    """

    id: str
    claim: str
    evidence: tuple[RowEvidence, ...]
    question: str | None = None
    label: AttributionClass | None = None
    supported: bool | None = None
    groups: dict[str, str]


class JudgingOptions(Record):
    """The options of all benchmarks: the judges, how many claims to judge, and how many at once.

    Without `judges`, the model of the settings reads the claims as cards.
    """

    judges: tuple[str, ...] = ()
    limit: int | None = None
    jobs: int = 4

    def model_post_init(self, _: object) -> None:
        """Raises `InputError` for a limit or a number of jobs under 1."""
        if self.jobs < 1 or (self.limit is not None and self.limit < 1):
            raise InputError("jobs and limit are numbers of claims: give at least 1")


class JudgeScores(Record):
    """The scores of a judge over the claims that it got.

    `unjudged` counts those without a label; `errors` name those of them whose judgement failed.
    """

    claims: int
    unjudged: int = 0
    scores: ClaimScores
    errors: tuple[str, ...] = ()


def common_scores(verified: VerificationReport) -> dict[str, Any]:
    """Returns the values of the fields of `JudgeScores`, for a benchmark that adds its own."""
    return {
        "claims": len(verified.rows),
        "unjudged": sum(row.label is None for row in verified.rows),
        "scores": verified.scores or ClaimScores(),
        "errors": tuple(f"{row.id}: {row.error}" for row in verified.rows if row.error),
    }


def judged_claims(
    claims: Sequence[BenchmarkClaim],
    out: Path,
    settings: Settings,
    options: JudgingOptions,
    on_row: Progress | None,
) -> dict[str, VerificationReport]:
    """Verifies the claims by each judge, and returns the reports by the name of the judge.

    `out` gets the claims in `claims.jsonl`, in an order that is random but always the same, so that the first
    claims are a sample; and a folder for each judge. The same call continues an interrupted run. Raises
    `InputError` if `out` holds other files.
    """
    keep_claims(claims, out)
    return {
        judge: verify_claims(
            out / CLAIMS,
            out / judge_folder(judge),
            settings=its,
            jobs=options.jobs,
            limit=options.limit,
            on_row=on_row,
        )
        for judge, its in judges_of(settings, options).items()
    }


def judges_of(settings: Settings, options: JudgingOptions) -> dict[str, Settings]:
    """Returns the settings of each judge by its name: of the options, or of the settings alone."""
    if not options.judges:
        return {name_of(settings.models.get("attribute", settings.model)): settings}
    return {
        judge: settings.model_copy(update={"models": settings.models | {"attribute": judge}})
        for judge in options.judges
    }


def judge_folder(judge: str) -> str:
    """Makes the name of the folder of a judge."""
    return re.sub(r"[^\w.-]+", "-", judge).strip("-.") or "judge"


def keep_claims(claims: Sequence[BenchmarkClaim], out: Path) -> None:
    """Writes the claims to `out`, unless they are there. Raises `InputError` beside any other content."""
    lines = b"".join(_line(claim) for claim in sampled(claims))
    with writing(out):
        if (out / CLAIMS).exists():
            if (out / CLAIMS).read_bytes() != lines:
                raise InputError(f"{out} holds a benchmark over other data: give another folder")
            return
        if out.is_dir() and any(file.name != f"{CLAIMS}.part" for file in out.iterdir()):
            raise InputError(f"{out} holds other files than a benchmark: give a folder of its own")
        out.mkdir(parents=True, exist_ok=True)
        write_lines(out / CLAIMS, [lines])


def sampled(claims: Iterable[BenchmarkClaim]) -> list[BenchmarkClaim]:
    """Sorts claims by the digest of their id: a random order that needs no seed and no other claim."""
    return sorted(claims, key=lambda claim: digest(claim.id))


def digest(text: str) -> str:
    """Returns a number that the text alone decides, in hexadecimal digits."""
    return hashlib.sha256(text.encode()).hexdigest()


def paired_rows(
    claims: Sequence[BenchmarkClaim], report: VerificationReport
) -> list[tuple[BenchmarkClaim, VerifiedRow]]:
    """Pairs each verified row with its claim."""
    known = {claim.id: claim for claim in claims}
    return [(known[row.id], row) for row in report.rows]


def write_report(out: Path, report: Record) -> None:
    """Writes the report of a benchmark beside the folders of its judges."""
    with writing(out):
        write_whole(out / REPORT, report.model_dump_json(indent=2) + "\n")


def _line(claim: BenchmarkClaim) -> bytes:
    return claim.model_dump_json(exclude_none=True).encode() + b"\n"
