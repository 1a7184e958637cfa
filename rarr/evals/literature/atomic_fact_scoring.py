"""Scores claims by their atomic facts: the share of facts that the evidence supports, as FActScore does."""

from collections.abc import Sequence
from pathlib import Path

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
from rarr.evals.literature.benchmark_judging import BenchmarkClaim
from rarr.evals.resumable_row_processing import finish_rows, line_itself
from rarr.evals.run_fingerprint import described, run_inputs
from rarr.evals.run_folder import FinishedLine
from rarr.evals.verified_claims import failed_judgement
from rarr.records import AttributionClass, Passage, Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.concurrency import together, work
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.text.blocks_and_sentences import sentences


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


def scored_by_facts(
    claims: Sequence[BenchmarkClaim],
    out: Path,
    digest: str,
    settings: Settings,
    *,
    jobs: int,
    limit: int | None,
    on_row: Progress | None,
) -> list[FactsLine]:
    """Splits the claims, judges each fact by the evidence of its claim, and keeps all in the folder `out`.

    A language model that reads or judges also splits; otherwise each sentence is a fact. `digest` is that of
    the claims. The same call continues an interrupted run. Raises `InputError` if `out` is in use or holds
    another run.
    """
    made_with = run_inputs(digest, described(settings) | {"command": "rarr bench factscore"})
    with run_folder.claimed(out, made_with), ClaimVerifier(settings) as verifier:
        worker = _FactVerifier(verifier, settings)
        run_folder.begin(out, made_with)
        return finish_rows(
            claims[:limit],
            out,
            FactsLine,
            of=claims,
            work_on=worker.verified,
            result_of=line_itself,
            aclose=worker.aclose,
            jobs=jobs,
            on_row=on_row,
        )


class _FactVerifier:
    """Splits and verifies claims with one verifier and one splitter."""

    def __init__(self, verifier: ClaimVerifier, settings: Settings) -> None:
        self._verifier, self._settings = verifier, settings
        judge = settings.models.get("attribute", settings.model)
        self._models = LanguageModels(settings, [judge]) if is_language_model(judge) else None
        prompts = Prompts(settings.prompts)
        self._splitter = PromptedSplitter(self._models[judge], prompts) if self._models else None

    async def verified(self, claim: BenchmarkClaim) -> FactsLine:
        """Splits and verifies a claim; the line has an error if that failed."""
        try:
            passages = given_passages([piece.text for piece in claim.evidence])
            facts = await self._split(claim.claim)
            judged = await together(*(self._judged(fact, passages) for fact in facts))
        except RarrError as error:
            return FactsLine(id=claim.id, error=str(error))
        if failures := [why for _, why in judged if why]:
            return FactsLine(id=claim.id, error=failures[0])
        return FactsLine(id=claim.id, facts=tuple(fact for fact, _ in judged))

    async def _split(self, text: str) -> Sequence[str]:
        if self._splitter is None:
            return [span.of(text) for span in await work(sentences, text)] or [text]
        token = METER.set(Meter(budget_of(self._settings)))
        try:
            return await self._splitter.split(text)
        finally:
            METER.reset(token)

    async def _judged(self, fact: str, passages: Sequence[Passage]) -> tuple[AtomicFact, str]:
        """Returns the judged fact, and the failure for which it has no label; "" if nothing failed."""
        verification = await self._verifier.averify_passages(fact, passages, None)
        return AtomicFact(text=fact, label=verification.label), failed_judgement(verification)

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._verifier.aclose()
        if self._models is not None:
            await close_all(self._models.all)
