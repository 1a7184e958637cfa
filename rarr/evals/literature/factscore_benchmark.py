"""Measures a judge by the atomic facts of claims, as FActScore does (Min et al. 2023), without references.

The claims are those of Factcheck-GPT (Wang et al. 2023), each with five passages whose stance people judged.
"""

from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import BaseModel

from rarr.evals.literature.atomic_fact_scoring import FactsLine, scored_by_facts
from rarr.evals.literature.benchmark_judging import (
    BenchmarkClaim,
    JudgingOptions,
    digest,
    judge_folder,
    judges_of,
    keep_claims,
    sampled,
    write_report,
)
from rarr.evals.literature.published import FACTSCORE, PublishedFigures
from rarr.evals.literature.source_rows import SourceRow, source_rows
from rarr.evals.metrics import Measured, bootstrap_each, classification, mean, share
from rarr.evals.rows import RowEvidence
from rarr.records import Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings

STANCES = "dev/attribution/factcheckgpt.jsonl"
FACTUAL = 0.5
"""From this score on a claim is called factual (Malaviya et al. 2023, section 5)."""

Scored = tuple[float, bool]


class StancePassage(BaseModel):
    """A passage that a search of Factcheck-GPT found."""

    text: str


class StanceMeta(BaseModel):
    """Whether people found the claim true in the world."""

    claim_factual: bool | Literal["unknown"]


class StanceRow(SourceRow):
    """A claim beside one passage, with the stance of the passage."""

    claim: str
    evidence: tuple[StancePassage, ...]
    label_raw: Literal["completely-support", "partially-support", "irrelevant", "refute"]
    meta: StanceMeta


class FactScores(Record):
    """The scores of a judge.

    `supported` compares the claims called factual with those that a passage supports completely by people,
    `factual` with those that are true in the world: `f1_true`, `f1_false` and `micro_f1`. `facts` is the mean
    number of facts of a claim. The score of a text is the share of its facts that are attributable, and
    `texts` the mean over texts, as in FActScore (Min et al. 2023, section 3); `pooled` is the share of the
    facts of all texts together. `people` is the mean share of the claims of a text that people found
    supported, and `distance` the mean absolute difference of a text's score from that share. `unjudged`
    counts the claims without a judged fact, which all scores leave out.
    """

    claims: int
    unjudged: int = 0
    facts: Measured
    supported: dict[str, Measured]
    factual: dict[str, Measured]
    texts: Measured
    pooled: Measured
    people: Measured
    distance: Measured
    errors: tuple[str, ...] = ()


class FactScoreReport(Record):
    """The report of the benchmark."""

    claims: int
    judges: dict[str, FactScores]
    published: PublishedFigures = FACTSCORE


def bench_factscore(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: JudgingOptions | None = None,
    on_row: Progress | None = None,
) -> FactScoreReport:
    """Splits and judges the claims of Factcheck-GPT in the folder `data`, and writes the report to `out`.

    The same call continues an interrupted run. Raises `InputError` for missing data before anything is spent.
    """
    settings, options = settings or Settings(), options or JudgingOptions()
    claims = sampled(stance_claims(source_rows(Path(data), STANCES, StanceRow)))
    keep_claims(claims, Path(out))
    judges = {
        judge: fact_scores(
            claims,
            scored_by_facts(
                claims,
                Path(out) / judge_folder(judge),
                digest("\n".join(claim.model_dump_json() for claim in claims)),
                its,
                jobs=options.jobs,
                limit=options.limit,
                on_row=on_row,
            ),
        )
        for judge, its in judges_of(settings, options).items()
    }
    report = FactScoreReport(claims=len(claims), judges=judges)
    write_report(Path(out), report)
    return report


def stance_claims(rows: Sequence[StanceRow]) -> list[BenchmarkClaim]:
    """Makes one claim of all rows about it, with all their passages.

    It is supported if one of them supports it completely.
    """
    by_claim = dict[str, list[StanceRow]]()
    for row in rows:
        by_claim.setdefault(row.id.rpartition("/")[0], []).append(row)
    return [
        BenchmarkClaim(
            id=name,
            claim=group[0].claim,
            evidence=tuple(RowEvidence(text=piece.text) for row in group for piece in row.evidence),
            supported=any(row.label_raw == "completely-support" for row in group),
            groups={
                "text": "/".join(name.split("/")[:2]),
                "factual": str(group[0].meta.claim_factual).lower(),
            },
        )
        for name, group in by_claim.items()
    ]


def fact_scores(claims: Sequence[BenchmarkClaim], lines: Sequence[FactsLine]) -> FactScores:
    """Computes the scores of the claims that have a line; claims without a judged fact are left out."""
    known = {claim.id: claim for claim in claims}
    pairs = [(known[line.id], line.score) for line in lines]
    judged = [(claim, score) for claim, score in pairs if score is not None]
    unjudged = len(pairs) - len(judged)
    factual = [
        (score, claim.groups["factual"] == "true")
        for claim, score in judged
        if claim.groups["factual"] != "unknown"
    ]
    texts = _judged_texts(known, lines)
    ours = [_true_share(text.hits) for text in texts]
    people = [_true_share(text.supported) for text in texts]
    unread = len({known[line.id].groups["text"] for line in lines}) - len(texts)
    return FactScores(
        claims=len(lines),
        unjudged=unjudged,
        facts=mean([None if line.facts is None else float(len(line.facts)) for line in lines]),
        supported=_called([(score, claim.supported is True) for claim, score in judged], unjudged),
        factual=_called(factual, unjudged),
        texts=mean([*ours, *[None] * unread]),
        pooled=share([hit for text in texts for hit in text.hits]),
        people=mean(people),
        distance=mean([abs(a - b) for a, b in zip(ours, people, strict=True)]),
        errors=tuple(f"{line.id}: {line.error}" for line in lines if line.error),
    )


class _JudgedText(NamedTuple):
    """Whether each judged fact of a text is attributable, and whether people found its claims supported."""

    hits: list[bool]
    supported: list[bool]


def _judged_texts(known: Mapping[str, BenchmarkClaim], lines: Sequence[FactsLine]) -> list[_JudgedText]:
    """Joins the facts of the claims of each text; claims without a judged fact are left out."""
    texts = dict[str, _JudgedText]()
    for line in lines:
        if line.hits:
            text = texts.setdefault(known[line.id].groups["text"], _JudgedText([], []))
            text.hits.extend(line.hits)
            text.supported.append(known[line.id].supported is True)
    return list(texts.values())


def _called(rows: Sequence[Scored], unjudged: int) -> dict[str, Measured]:
    """Measures the claims called factual against a label, with intervals."""

    def scores(drawn: Sequence[Scored]) -> dict[str, float | None]:
        called = [_word(score >= FACTUAL) for score, _ in drawn]
        whole = classification(called, [_word(label) for _, label in drawn], ("true", "false"))
        by_class = {f"f1_{name}": each.f1 for name, each in whole.classes.items()}
        return by_class | {"micro_f1": whole.micro_f1}

    return bootstrap_each(rows, scores, unjudged=unjudged, resamples=1000)


def _word(value: bool) -> str:
    return "true" if value else "false"


def _true_share(values: Sequence[bool]) -> float:
    return sum(values) / len(values)
