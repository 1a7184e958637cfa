"""Measures a judge of attribution on answers of systems that experts labelled, as ExpertQA does.

Malaviya et al. 2023: table 5 is the AutoAIS of the systems, table 6 the agreement with the experts' labels.
"""

from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from rarr.evals import run_folder
from rarr.evals.benchmarks.report import (
    BenchmarkClaim,
    BenchmarkReport,
    Judged,
    Options,
    ScoreTable,
    benchmark_folder,
    digest,
    errors_of,
    judged_claims,
    published,
    sampled,
    source_rows,
)  # fmt: skip
from rarr.evals.metrics.statistics import Measured, bootstrap_each, mean
from rarr.evals.rows import Row, RowEvidence
from rarr.evals.verified_claims import RESAMPLES, VerifiedRow, claim_scores, detected
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings

CLAIMS = "dev/attribution/expertqa.jsonl"
COMMAND = "rarr bench expertqa"


class ExpertEvidence(BaseModel):
    """A passage that a claim cites."""

    text: str


class ExpertMeta(BaseModel):
    """The labels of an expert, and where the claim is from."""

    system: str
    field: str
    support: str
    worthiness: Literal["Yes", "No"]


class ExpertClaim(Row):
    """A claim of an answer, with the passages that it cites."""

    claim: str
    evidence: tuple[ExpertEvidence, ...]
    meta: ExpertMeta


def bench_expertqa(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: Options | None = None,
    on_row: Progress | None = None,
) -> BenchmarkReport:
    """Judges the claims of ExpertQA in the folder `data`, and writes the report to `out`.

    The passages of a claim are joined to one premise, and the judge does not see the question: both as in the
    paper. The same call continues an interrupted run. Raises `InputError` for missing data, before anything
    is spent.
    """
    settings, options, path = settings or Settings(), options or Options(), Path(out)
    claims = sampled(_claim(row) for row in source_rows(Path(data), CLAIMS, ExpertClaim))
    with benchmark_folder(path, COMMAND, digest(str(claims)), settings):
        judged = judged_claims(claims, path, COMMAND, settings, options, on_row)
        overall = {judge: claim_scores([row for _, row in pairs]).two_way for judge, pairs in judged.items()}
        report = BenchmarkReport(
            benchmark="ExpertQA",
            counts={"claims": len(claims)},
            tables=(
                ScoreTable(title="all claims, against complete support by experts", rows=overall),
                *(
                    _by(group, judge, pairs)
                    for judge, pairs in judged.items()
                    for group in ("system", "field")
                ),
            ),
            published=published("expertqa"),
            **errors_of(judged),
        )
        run_folder.finish(path, report)
    return report


def _claim(row: ExpertClaim) -> BenchmarkClaim:
    passages = "\n".join(piece.text for piece in row.evidence)
    return BenchmarkClaim(
        id=row.id,
        claim=row.claim,
        evidence=(RowEvidence(text=passages),),
        supported=row.meta.support == "Complete",
        groups={
            "system": row.meta.system,
            "field": row.meta.field,
            "answer": row.id.rpartition("/")[0],
            "worthiness": row.meta.worthiness,
        },
    )


def _by(group: str, judge: str, judged: Judged) -> ScoreTable:
    worthy = [pair for pair in judged if pair[0].groups["worthiness"] == "Yes"]
    names = sorted({claim.groups[group] for claim, _ in worthy})
    rows = {name: [pair for pair in worthy if pair[0].groups[group] == name] for name in names}
    return ScoreTable(
        title=f"{judge}, by {group}: claims worth a citation",
        rows={name: system_scores(pairs) for name, pairs in rows.items()} | {"all": system_scores(worthy)},
        is_published=group == "system",
    )


def system_scores(judged: Judged) -> dict[str, Measured]:
    """Computes the scores of the claims of a system or field; claims that were not judged are left out.

    `precision`, `recall`, `f1` and `balanced_accuracy` are of "attributable" against "complete support"
    (table 6). `autoais` is the share of attributable claims in an answer, averaged over answers, of the
    claims that the expert finds completely supported (table 5).
    """
    answers = dict[str, list[bool]]()
    decided = [(claim, row) for claim, row in judged if row.label is not None]
    for claim, row in decided:
        if claim.supported:
            answers.setdefault(claim.groups["answer"], []).append(row.label == "attributable")

    def scores(drawn: Sequence[VerifiedRow]) -> dict[str, float | None]:
        return {name: value for name, value in detected(drawn).items() if name != "accuracy"}

    unjudged = len(judged) - len(decided)
    rows = [row for _, row in decided]
    autoais = mean([sum(hits) / len(hits) for hits in answers.values()])
    return bootstrap_each(rows, scores, unjudged=unjudged, resamples=RESAMPLES) | {"autoais": autoais}
