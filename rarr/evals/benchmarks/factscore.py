"""Measures a judge by the atomic facts of claims, as FActScore does (Min et al. 2023), without references.

The claims are those of Factcheck-GPT (Wang et al. 2023), each with five passages whose stance people judged.
The score of a claim is the share of its facts that the passages support, and that of a text the share of the
facts of its claims.
"""

from collections.abc import Sequence
from functools import partial
from pathlib import Path
from typing import Any, Literal

from pydantic import BaseModel

from rarr.agent.final_revision import budget_of
from rarr.agent.given_evidence import given_passages
from rarr.agent.verify import ClaimVerifier
from rarr.agent.wiring.language_models import LanguageModels
from rarr.backends.judge_name_parsing import is_language_model
from rarr.backends.prompted.answers import PromptedSplitter
from rarr.backends.prompted.prompts import Prompts
from rarr.components import close_all
from rarr.errors import RarrError
from rarr.evals import run_folder
from rarr.evals.benchmarks.report import (
    BenchmarkClaim,
    BenchmarkReport,
    Options,
    ScoreTable,
    benchmark_folder,
    digest,
    folder_name,
    judges_of,
    published,
    sampled,
    source_rows,
)  # fmt: skip
from rarr.evals.metrics.classification import classification
from rarr.evals.metrics.statistics import Measured, bootstrap_each, mean
from rarr.evals.rows import Row, RowEvidence
from rarr.evals.run_folder import FinishedLine, run_rows
from rarr.evals.verified_claims import RESAMPLES, failed_judgement
from rarr.records import AttributionClass, Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.concurrency import together, work
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.text.blocks_and_sentences import sentences

STANCES = "dev/attribution/factcheckgpt.jsonl"
COMMAND = "rarr bench factscore"
FACTUAL = 0.5
"""From this score on a claim is called factual (Malaviya et al. 2023, section 5)."""


class StancePassage(BaseModel):
    """A passage that a search of Factcheck-GPT found."""

    text: str


class StanceMeta(BaseModel):
    """Whether people found the claim true in the world."""

    claim_factual: bool | Literal["unknown"]


class StanceRow(Row):
    """A claim beside one passage, with the stance of the passage."""

    claim: str
    evidence: tuple[StancePassage, ...]
    label_raw: Literal["completely-support", "partially-support", "irrelevant", "refute"]
    meta: StanceMeta


class AtomicFact(Record):
    """A fact of a claim, with its class by the evidence; None if it could not be judged."""

    text: str
    label: AttributionClass | None = None


class FactsLine(FinishedLine):
    """A line of `predictions.jsonl`: the facts of the claim with this id, or why it has none."""

    facts: tuple[AtomicFact, ...] | None = None

    @property
    def hits(self) -> list[bool]:
        """Whether each judged fact is attributable."""
        return [fact.label == "attributable" for fact in self.facts or () if fact.label is not None]

    @property
    def score(self) -> float | None:
        """The share of attributable facts; None where no fact was judged."""
        return sum(self.hits) / len(self.hits) if self.hits else None


def bench_factscore(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    options: Options | None = None,
    on_row: Progress | None = None,
) -> BenchmarkReport:
    """Splits and judges the claims of Factcheck-GPT in the folder `data`, and writes the report to `out`.

    A language model that reads or judges also splits; otherwise each sentence is a fact. The same call
    continues an interrupted run. Raises `InputError` for missing data before anything is spent.
    """
    settings, options, path = settings or Settings(), options or Options(), Path(out)
    claims = sampled(stance_claims(source_rows(Path(data), STANCES, StanceRow)))
    lines = dict[str, list[FactsLine]]()
    with benchmark_folder(path, COMMAND, digest(str(claims)), settings) as inputs:
        for judge, its in judges_of(settings, options).items():
            made_with: dict[str, Any] = inputs | {"settings": inputs["settings"] | {"judge": judge}}
            lines[judge] = run_rows(
                claims, path / folder_name(judge), FactsLine, made_with, partial(_FactVerifier, its),
                limit=options.limit, jobs=options.jobs, on_row=on_row,
            )  # fmt: skip
        report = BenchmarkReport(
            benchmark="FActScore",
            counts={"claims": len(claims)},
            tables=fact_tables(claims, lines),
            published=published("factscore"),
            errors=tuple(
                f"{j}: {line.id}: {line.error}" for j, each in lines.items() for line in each if line.error
            ),
            failed=tuple(j for j, each in lines.items() if all(line.score is None for line in each)),
        )
        run_folder.finish(path, report)
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


def fact_tables(
    claims: Sequence[BenchmarkClaim], lines: dict[str, list[FactsLine]]
) -> tuple[ScoreTable, ...]:
    """Compares the claims called factual with people, and computes the mean score of a text.

    Claims without a judged fact are left out of all, and counted.
    """
    known = {claim.id: claim for claim in claims}
    supported, factual, texts = ({judge: dict[str, Measured]() for judge in lines} for _ in range(3))
    for judge, each in lines.items():
        pairs = [(known[line.id], line.score) for line in each]
        judged = [(claim, score) for claim, score in pairs if score is not None]
        unjudged = len(pairs) - len(judged)
        supported[judge] = _called([(score, claim.supported is True) for claim, score in judged], unjudged)
        decided = [(score, claim) for claim, score in judged if claim.groups["factual"] != "unknown"]
        factual[judge] = _called([(score, c.groups["factual"] == "true") for score, c in decided], unjudged)
        hits, people = dict[str, list[bool]](), dict[str, list[bool]]()
        for line in each:
            if line.hits:
                claim = known[line.id]
                hits.setdefault(claim.groups["text"], []).extend(line.hits)
                people.setdefault(claim.groups["text"], []).append(claim.supported is True)
        texts[judge] = {
            "facts of a claim": mean([float(len(line.facts)) if line.facts else None for line in each]),
            "score of a text": mean([sum(of) / len(of) for of in hits.values()]),
            "by people": mean([sum(of) / len(of) for of in people.values()]),
        }
    return (
        ScoreTable(title="against people: a passage supports the claim", rows=supported),
        ScoreTable(title="against people: the claim is true in the world", rows=factual, is_published=True),
        ScoreTable(title="texts", rows=texts),
    )


def _called(rows: Sequence[tuple[float, bool]], unjudged: int) -> dict[str, Measured]:
    """Measures the claims called factual against a label, with intervals."""

    def scores(drawn: Sequence[tuple[float, bool]]) -> dict[str, float | None]:
        called = [str(score >= FACTUAL) for score, _ in drawn]
        whole = classification(called, [str(label) for _, label in drawn], ("True", "False"))
        by_class = {f"f1_{name.lower()}": each.f1 for name, each in whole.classes.items()}
        return by_class | {"micro_f1": whole.micro_f1}

    return bootstrap_each(rows, scores, unjudged=unjudged, resamples=RESAMPLES)


class _FactVerifier:
    """Splits and verifies claims with one verifier and one splitter."""

    def __init__(self, settings: Settings) -> None:
        self._verifier, self._settings = ClaimVerifier(settings), settings
        judge = settings.models.get("attribute", settings.model)
        self._models = LanguageModels(settings, [judge]) if is_language_model(judge) else None
        prompts = Prompts(settings.prompts)
        self._splitter = PromptedSplitter(self._models[judge], prompts) if self._models else None

    async def line(self, claim: BenchmarkClaim) -> FactsLine:
        """Splits and verifies a claim; the line has an error if that failed."""
        passages, facts = given_passages([piece.text for piece in claim.evidence]), list[AtomicFact]()
        try:
            texts = await self._split(claim.claim)
            made = await together(*(self._verifier.averify_passages(text, passages, None) for text in texts))
        except RarrError as error:
            return FactsLine(id=claim.id, error=str(error))
        for text, verification in zip(texts, made, strict=True):
            if why := failed_judgement(verification):
                return FactsLine(id=claim.id, error=why)
            facts.append(AtomicFact(text=text, label=verification.label))
        return FactsLine(id=claim.id, facts=tuple(facts))

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._verifier.aclose()
        if self._models is not None:
            await close_all(self._models.all)

    async def _split(self, text: str) -> Sequence[str]:
        if self._splitter is None:
            return [span.of(text) for span in await work(sentences, text)] or [text]
        token = METER.set(Meter(budget_of(self._settings)))
        try:
            return await self._splitter.split(text)
        finally:
            METER.reset(token)
