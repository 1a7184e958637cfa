"""Measures a judge of attribution on answers of systems that experts labelled, as ExpertQA does.

Malaviya et al. 2023: table 5 is the AutoAIS of the systems, table 6 the agreement with the experts' labels.
"""

from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from rarr.backends.embedded.items import items_of
from rarr.evals.literature.benchmark_judging import (
    BenchmarkClaim,
    JudgeScores,
    JudgingOptions,
    common_scores,
    judged_claims,
    paired_rows,
    write_report,
)
from rarr.evals.literature.published import EXPERTQA, PublishedFigures
from rarr.evals.literature.source_rows import SourceRow, source_rows
from rarr.evals.metrics import Measured, bootstrap_each, detection, mean
from rarr.evals.rows import RowEvidence
from rarr.evals.verified_claims import VerificationReport, VerifiedRow
from rarr.records import Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings

CLAIMS = "dev/attribution/expertqa.jsonl"
ALL_CLAIMS = "dev/attribution/expertqa_all_claims.jsonl"
BY = ("system", "field")
_JOIN = "\n"
_DETECTION = ("precision", "recall", "f1", "balanced_accuracy")

Judged = Sequence[tuple[BenchmarkClaim, VerifiedRow]]


class ExpertEvidence(BaseModel):
    """A passage that a claim cites."""

    text: str


class ExpertMeta(BaseModel):
    """The labels of an expert, and where the claim is from."""

    system: str
    field: str
    support: str
    worthiness: Literal["Yes", "No"]


class ExpertClaim(SourceRow):
    """A claim of an answer, with the passages that it cites."""

    claim: str
    evidence: tuple[ExpertEvidence, ...]
    meta: ExpertMeta


class ExpertWorthiness(SourceRow):
    """A claim, and whether an expert finds it worth a citation."""

    claim_without_citations: str
    worthiness: Literal["Yes", "No"]


class SystemScores(Record):
    """The scores of the claims of a system or field.

    `detection` are `precision`, `recall`, `f1` and `balanced_accuracy` of "attributable" against "complete
    support", over the claims that are worth a citation (table 6). `autoais` is the share of attributable
    claims in an answer, averaged over answers, of the claims that are worth a citation and that the expert
    finds completely supported (table 5); it is over answers, and `claims` counts their claims. `unjudged`
    counts such claims without a label, which the share leaves out.
    """

    detection: dict[str, Measured]
    autoais: Measured
    claims: int
    unjudged: int = 0


class ExpertScores(JudgeScores):
    """The scores of a judge over all claims; and over claims worth a citation, by system and by field."""

    groups: dict[str, dict[str, SystemScores]]


class ExpertQAReport(Record):
    """The report of the benchmark. `worthiness` are the scores of the rule that tells which claims to cite.

    `worthiness_of_all` are those of calling every claim worth a citation.
    """

    claims: int
    judges: dict[str, ExpertScores]
    worthiness: dict[str, Measured]
    worthiness_of_all: dict[str, Measured]
    published: PublishedFigures = EXPERTQA


def bench_expertqa(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: JudgingOptions | None = None,
    on_row: Progress | None = None,
) -> ExpertQAReport:
    """Judges the claims of ExpertQA in the folder `data`, and writes the report to `out`.

    The passages of a claim are joined to one premise, and the judge does not see the question: both as in the
    paper. The same call continues an interrupted run. Raises `InputError` for missing data, before anything
    is spent.
    """
    claims = [_claim(row) for row in source_rows(Path(data), CLAIMS, ExpertClaim)]
    labelled = source_rows(Path(data), ALL_CLAIMS, ExpertWorthiness)
    reports = judged_claims(claims, Path(out), settings or Settings(), options or JudgingOptions(), on_row)
    worthy = [row.worthiness == "Yes" for row in labelled]
    called = [_has_value_or_name(row.claim_without_citations) for row in labelled]
    report = ExpertQAReport(
        claims=len(claims),
        judges={judge: _scores(claims, verified) for judge, verified in reports.items()},
        worthiness=_detected(zip(called, worthy, strict=True)),
        worthiness_of_all=_detected((True, each) for each in worthy),
    )
    write_report(Path(out), report)
    return report


def _has_value_or_name(text: str) -> bool:
    return any(item.value or item.is_name for item in items_of(text))


def _claim(row: ExpertClaim) -> BenchmarkClaim:
    return BenchmarkClaim(
        id=row.id,
        claim=row.claim,
        evidence=(RowEvidence(text=_JOIN.join(piece.text for piece in row.evidence)),),
        supported=row.meta.support == "Complete",
        groups={
            "system": row.meta.system,
            "field": row.meta.field,
            "answer": row.id.rpartition("/")[0],
            "worthiness": row.meta.worthiness,
        },
    )


def _scores(claims: Sequence[BenchmarkClaim], verified: VerificationReport) -> ExpertScores:
    judged = paired_rows(claims, verified)
    worthy = [pair for pair in judged if pair[0].groups["worthiness"] == "Yes"]
    groups = {by: _by_name(worthy, by) | {"all": system_scores(worthy)} for by in BY}
    return ExpertScores(**common_scores(verified), groups=groups)


def _by_name(judged: Judged, by: str) -> dict[str, SystemScores]:
    names = sorted({claim.groups[by] for claim, _ in judged})
    return {name: system_scores([pair for pair in judged if pair[0].groups[by] == name]) for name in names}


def system_scores(judged: Judged) -> SystemScores:
    """Computes the scores of the claims of a system or field; claims that were not judged are left out."""
    answers = dict[str, list[bool]]()
    decided = [(claim, row.label == "attributable") for claim, row in judged if row.label is not None]
    for claim, called in decided:
        if claim.supported:
            answers.setdefault(claim.groups["answer"], []).append(called)
    detected = [(called, claim.supported is True) for claim, called in decided]
    return SystemScores(
        detection=_detected(detected, len(judged) - len(decided)),
        autoais=mean([sum(hits) / len(hits) for hits in answers.values()]),
        claims=sum(map(len, answers.values())),
        unjudged=sum(claim.supported is True and row.label is None for claim, row in judged),
    )


def _detected(rows: Iterable[tuple[bool, bool]], unjudged: int = 0) -> dict[str, Measured]:
    """Measures yes or no against the yes or no of people, with intervals."""

    def scores(drawn: Sequence[tuple[bool, bool]]) -> dict[str, float | None]:
        whole = detection([called for called, _ in drawn], [true for _, true in drawn])
        return {name: getattr(whole, name) for name in _DETECTION}

    return bootstrap_each(list(rows), scores, unjudged=unjudged, resamples=1000)
