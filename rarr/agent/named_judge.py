"""A judge of attribution by name, asked about claims in place of a reader of cards, as in the papers.

The passages of a claim are joined to one premise. The judge quotes nothing, and no planted errors examine it.
"""

import asyncio
from collections.abc import Sequence

from rarr.agent.verify import ClaimVerifier, labelled
from rarr.backends.nli.loading import attribution_class
from rarr.components import Classifier, Components
from rarr.records import AttributionClass, Evidence, Sentence, Status
from rarr.records.verification import Verification
from rarr.settings import EMBEDDED, Settings
from rarr.state import failure
from rarr.tools.concurrency import work
from rarr.tools.models.chat import name_of
from rarr.tools.models.run_budget import meter
from rarr.tools.text.blocks_and_sentences import Span, sentences

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
            return await asyncio.gather(*(self._verification(it, passages) for it in empty))

    async def _verification(self, empty: Verification, passages: Sequence[Evidence]) -> Verification:
        """Asks about each sentence of the claim: first for its support, then for its class.

        A language model that answered for the support is not asked again for the class.
        """
        claim, threshold = empty.claim, self._components.settings.support_threshold
        judge, notices = self._components.verifier, []
        spans = await work(sentences, claim) or (Span(0, len(claim)),)
        supports: Sequence[float | None] = [0.0] * len(spans)
        classes: Sequence[AttributionClass | None] = ["extrapolatory"] * len(spans)
        if passages:
            asked = (claim, empty.question, spans, _premise(passages))
            try:
                async with meter().in_time(meter().grace):
                    supports = await judge.support(*asked)
                    classes = [attribution_class(support, threshold) for support in supports]
                    if isinstance(judge, Classifier):
                        classes = await judge.classify(*asked)
            except Exception as error:
                supports, classes = [None] * len(spans), [None] * len(spans)
                problem = "the claim could not be judged"
                notices = [failure("attribute", problem, error, code="verification_failed")]
        found = [
            Sentence(
                text=span.of(claim),
                start=span.start,
                end=span.end,
                status=_STATUS[label] if passages else "no_evidence",
                support=support,
                evidence_ids=tuple(it.id for it in passages if label not in (None, "extrapolatory")),
            )
            for span, label, support in zip(spans, classes, supports, strict=True)
        ]
        known = [support for support in supports if support is not None]
        made = labelled(empty, found, classes, notices)
        return made.model_copy(update={"probability": min(known) if len(known) == len(found) else None})


def _premise(passages: Sequence[Evidence]) -> Evidence:
    first, *others = passages
    texts = [f"{it.title}\n{it.text}".strip() for it in passages]
    return first.model_copy(update={"title": "", "text": "\n\n".join(texts)}) if others else first
