"""Measures a judge of attribution on answers of systems that experts labelled, as ExpertQA does.

Malaviya et al. 2023: table 5 is the AutoAIS of the systems, table 6 the agreement with the experts' labels.
The passages of a claim are joined to one premise, and the judge does not see the question, as in the paper.
"""

from collections.abc import Iterator, Mapping
from functools import partial
from pathlib import Path
from typing import Literal

from pydantic import BaseModel

from rarr.agent.verify import TOGETHER
from rarr.evals.benchmarks.bench import Bench, Options, Pairs, Part, ScoreTable, sampled
from rarr.evals.metrics import detection
from rarr.evals.rows import ClaimRow, Row, RowEvidence, read_rows
from rarr.evals.statistics import Measured, bootstrap_each, mean
from rarr.evals.verified_claims import RESAMPLES, RowVerifier, VerifiedLine, claim_scores, verified_row
from rarr.settings import Settings
from rarr.tools.models.chat import name_of

CLAIMS = "dev/attribution/expertqa.jsonl"


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
    """A claim to judge. Its id begins with that of its answer."""

    meta: ExpertMeta


def expertqa(data: Path, settings: Settings, options: Options) -> Bench:
    """Reads the claims of ExpertQA in the folder `data`. Raises `InputError` for missing or wrong data."""
    claims = sampled(_claim(row) for row in read_rows(data / CLAIMS, ExpertRow))
    chosen = claims[: options.limit]
    judges = {name_of(settings.models.get("attribute", settings.model)): settings}
    if options.judges:
        named = ((judge, settings.models | {"attribute": judge}) for judge in options.judges)
        judges = {judge: settings.model_copy(update={"models": models}) for judge, models in named}
    parts = {
        judge: Part(claims, VerifiedLine, partial(RowVerifier, its, chosen, options.jobs), chosen, TOGETHER)
        for judge, its in judges.items()
    }
    return Bench("expertqa", "ExpertQA", {"claims": len(claims)}, parts, tables)


def _claim(row: ExpertRow) -> ExpertClaim:
    return ExpertClaim(
        id=row.id,
        claim=row.claim,
        evidence=(RowEvidence(text="\n".join(piece.text for piece in row.evidence)),),
        supported=row.meta.support == "Complete",
        meta=row.meta,
    )


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Scores all claims by judge, and the claims worth a citation by system and by field."""
    overall = {
        judge: claim_scores([verified_row(*pair) for pair in pairs]).two_way for judge, pairs in parts.items()
    }
    yield ScoreTable(title="all claims, against complete support by experts", rows=overall)
    for judge, pairs in parts.items():
        worthy = [pair for pair in pairs if pair[0].meta.worthiness == "Yes"]
        for group in ("system", "field"):
            rows = dict[str, list[tuple[ExpertClaim, VerifiedLine]]]()
            for pair in worthy:
                rows.setdefault(getattr(pair[0].meta, group), []).append(pair)
            scores = {name: system_scores(rows[name]) for name in sorted(rows)}
            yield ScoreTable(
                title=f"{judge}, by {group}: claims worth a citation",
                rows=scores | {"all": system_scores(worthy)},
            )


def system_scores(pairs: Pairs) -> dict[str, Measured]:
    """Computes the scores of the claims of a system or field; claims that were not judged are left out.

    `precision`, `recall`, `f1` and `balanced_accuracy` are of "attributable" against "complete support"
    (table 6). `autoais` is the share of attributable claims in an answer, averaged over answers, of the
    claims that the expert finds completely supported (table 5).
    """
    answers = dict[str, list[bool]]()
    judged = list[tuple[bool, bool]]()
    for claim, line in pairs:
        if line.is_judged:
            judged.append((line.verification.label == "attributable", claim.supported))
            if claim.supported:
                answers.setdefault(claim.id.rpartition("/")[0], []).append(judged[-1][0])
    autoais = mean([sum(hits) / len(hits) for hits in answers.values()])
    unjudged = len(pairs) - len(judged)
    scores = bootstrap_each(judged, detection, unjudged=unjudged, resamples=RESAMPLES)
    return {name: value for name, value in scores.items() if name != "accuracy"} | {"autoais": autoais}
