"""Measures a judge of attribution on answers of systems that experts labelled, as ExpertQA does.

Malaviya et al. 2023: table 5 is the AutoAIS of the systems, table 6 the agreement with the experts' labels.
The passages of a claim are joined to one premise, and the judge does not see the question, as in the paper.
"""

from collections.abc import Iterator, Mapping, Sequence
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from rarr.agent.verify import TOGETHER
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable, sampled, source_rows
from rarr.evals.metrics.statistics import Measured, bootstrap_each, mean
from rarr.evals.rows import ClaimRow, Row, RowEvidence
from rarr.evals.verified_claims import (
    RESAMPLES,
    RowVerifier,
    VerifiedLine,
    VerifiedRow,
    claim_scores,
    detected,
    verified_row,
)  # fmt: skip
from rarr.settings import Settings
from rarr.tools.models.chat import name_of

CLAIMS = "dev/attribution/expertqa.jsonl"
Judged = Sequence[tuple["ExpertClaim", VerifiedRow]]


class ExpertEvidence(BaseModel):
    """A passage that a claim cites."""

    text: str


class ExpertMeta(BaseModel):
    """The labels of an expert, and where the claim is from."""

    system: str
    field: str
    support: str
    worthiness: Literal["Yes", "No"]


class ExpertRow(Row):
    """A claim of an answer, with the passages that it cites."""

    claim: str
    evidence: tuple[ExpertEvidence, ...]
    meta: ExpertMeta


class ExpertClaim(ClaimRow):
    """A claim to judge. `answer` is the id of the answer that it is from."""

    answer: str
    meta: ExpertMeta


def expertqa(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the claims of ExpertQA in the folder `data`. Raises `InputError` for missing or wrong data."""
    claims = sampled(_claim(row) for row in source_rows(data, CLAIMS, ExpertRow))
    chosen = claims[: options.limit]
    parts = {
        judge: Part(
            claims, VerifiedLine, partial(RowVerifier.of, its, chosen, options.jobs), chosen, TOGETHER
        )
        for judge, its in _judges(settings, options).items()
    }
    return Bench("expertqa", "ExpertQA", {"claims": len(claims)}, parts, tables)


def _judges(settings: Settings, options: Options) -> dict[str, Settings]:
    """Returns the settings of each judge by its name: of the options, or of the settings alone."""
    if not options.judges:
        return {name_of(settings.models.get("attribute", settings.model)): settings}
    return {
        judge: settings.model_copy(update={"models": settings.models | {"attribute": judge}})
        for judge in options.judges
    }


def _claim(row: ExpertRow) -> ExpertClaim:
    return ExpertClaim(
        id=row.id,
        claim=row.claim,
        evidence=(RowEvidence(text="\n".join(piece.text for piece in row.evidence)),),
        supported=row.meta.support == "Complete",
        answer=row.id.rpartition("/")[0],
        meta=row.meta,
    )


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores all claims by judge, and the claims worth a citation by system and by field."""
    judged = {
        judge: [(claim, verified_row(claim, line)) for claim, line in pairs] for judge, pairs in parts.items()
    }
    overall = {judge: claim_scores([row for _, row in pairs]).two_way for judge, pairs in judged.items()}
    yield ScoreTable(title="all claims, against complete support by experts", rows=overall)
    for judge, pairs in judged.items():
        worthy = [pair for pair in pairs if pair[0].meta.worthiness == "Yes"]
        for group in ("system", "field"):
            rows = dict[str, list[tuple[ExpertClaim, VerifiedRow]]]()
            for pair in worthy:
                rows.setdefault(getattr(pair[0].meta, group), []).append(pair)
            yield ScoreTable(
                title=f"{judge}, by {group}: claims worth a citation",
                rows={name: system_scores(rows[name]) for name in sorted(rows)}
                | {"all": system_scores(worthy)},
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
            answers.setdefault(claim.answer, []).append(row.label == "attributable")

    def scores(drawn: Sequence[VerifiedRow]) -> dict[str, float | None]:
        return {name: value for name, value in detected(drawn).items() if name != "accuracy"}

    unjudged = len(judged) - len(decided)
    rows = [row for _, row in decided]
    autoais = mean([sum(hits) / len(hits) for hits in answers.values()])
    return bootstrap_each(rows, scores, unjudged=unjudged, resamples=RESAMPLES) | {"autoais": autoais}
