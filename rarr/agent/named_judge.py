"""A judge of attribution by name, asked about claims in place of a reader of cards, as in the papers.

It gives each sentence a class by each passage, quotes nothing, and no planted errors examine it.
"""

import asyncio
from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.verify import ClaimVerifier, labelled
from rarr.components import Components
from rarr.ledger.scores import best_support
from rarr.ledger.sentence_support import classify_sentences
from rarr.records import AttributionClass, Evidence, Notice, Sentence, Status
from rarr.records.verification import Verification
from rarr.settings import EMBEDDED, Settings
from rarr.state import failure
from rarr.tools.concurrency import work
from rarr.tools.models.chat import name_of
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, sentences

_BEST_FIRST: tuple[AttributionClass | None, ...] = ("attributable", None, "contradictory")
_STATUS: dict[AttributionClass | None, Status] = {
    "attributable": "supported",
    "contradictory": "contradicted",
    "extrapolatory": "unconfirmed",
    None: "unjudged",
}


def verifier_of(settings: Settings) -> ClaimVerifier:
    """Makes the judge that `models` names for attribute; else the reader of cards that the model is."""
    judge = settings.models.get("attribute")
    if judge is None:
        return ClaimVerifier(settings)
    if judge in EMBEDDED:
        return ClaimVerifier(settings.model_copy(update={"model": "embedded", "models": {}}))
    return NamedJudge(settings)


class NamedJudge(ClaimVerifier):
    """Asks the verifier of the settings, such as `nli:NAME` or a language model, about every claim."""

    def __init__(self, settings: Settings | None = None, *, components: Components | None = None) -> None:
        super().__init__(settings, components=components)
        self.reader = name_of(self._components.settings.models.get("attribute", ""))
        self.reads_together = False

    async def _judged(
        self, empty: Sequence[Verification], passages: Sequence[Evidence]
    ) -> list[Verification]:
        with meter().step("attribute"):
            return await asyncio.gather(*(_verification(it, passages, self._components) for it in empty))


class _ByPassage(NamedTuple):
    """The support and class of each sentence of a claim by one passage, and why the judge failed."""

    supports: Sequence[float | None]
    classes: Sequence[AttributionClass | None]
    failure: Notice | None = None


async def _verification(
    empty: Verification, passages: Sequence[Evidence], components: Components
) -> Verification:
    """Asks the judge about each sentence by each passage: one passage that supports it is enough."""
    claim = empty.claim
    spans = await work(sentences, claim) or (Span(0, len(claim)),)
    judged = await asyncio.gather(*(_by_passage(empty, spans, it, components) for it in passages))
    found, labels = list[Sentence](), list[AttributionClass | None]()
    for number, span in enumerate(spans):
        classes = [it.classes[number] for it in judged]
        # None if a passage that was not judged could decide.
        label: AttributionClass | None = "extrapolatory"
        label = next((kind for kind in _BEST_FIRST if kind in classes), label)
        sentence = Sentence(
            text=span.of(claim),
            start=span.start,
            end=span.end,
            status=_STATUS[label] if passages else "no_evidence",
            support=best_support([it.supports[number] for it in judged]) if passages else 0.0,
            evidence_ids=tuple(
                it.id for it, kind in zip(passages, classes, strict=True) if label and kind == label
            ),
        )
        found.append(sentence)
        labels.append(label)
    made = labelled(empty, found, labels, [it.failure for it in judged if it.failure])
    known = [sentence.support for sentence in found if sentence.support is not None]
    return made.model_copy(update={"probability": min(known) if len(known) == len(found) else None})


async def _by_passage(
    empty: Verification, spans: Sequence[Span], passage: Evidence, components: Components
) -> _ByPassage:
    """Judges all sentences by one passage: support first, then the class.

    A language model that answered for the support is not asked again for the class.
    """
    asked = (empty.claim, empty.question, spans, passage)
    judge, threshold = components.verifier, components.settings.support_threshold
    try:
        async with meter().in_time(meter().grace):
            supports = await judge.support(*asked)
            return _ByPassage(supports, await classify_sentences(judge, *asked, threshold=threshold))
    except Exception as error:
        problem = f"support by {passage.id} could not be judged"
        failed = failure("attribute", problem, error, code="verification_failed")
        return _ByPassage([None] * len(spans), [None] * len(spans), failed)
