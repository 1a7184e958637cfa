"""The trained verifier: how far a passage attributes a sentence, by the encoder and the rules together."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.embedded.claims import claims
from rarr.embedded.support import CONTRADICTED, UNSAID, Judgement, judgements
from rarr.encoder.model import Claimed, Encoder, Judged
from rarr.records import AttributionClass, Evidence
from rarr.tools.attribution import attribution_class
from rarr.tools.document import Span
from rarr.tools.worker import infer
from rarr.trained.windows import parts

PARTS = 3  # of long evidence that are read for a sentence
VERBATIM = 0.8  # from this support by the rules on, the evidence says nearly the same words
LIKELIER = 0.5  # than both other classes together
AT_THRESHOLD = 0.55  # the support of what is at the calibrated threshold: the default `support_threshold`


class TrainedVerifier:
    """Support is the calibrated probability that the evidence makes a sentence attributable."""

    def __init__(self, encoder: Encoder, threshold: float) -> None:
        """From the support `threshold` on, what is not contradicted is attributable."""
        self._encoder, self._threshold = encoder, threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """The support of the sentences of `text` at `spans`; None for one that cannot be judged."""
        judged = await infer(self._judgements, text, context, spans, evidence)
        return [None if one is None else one.support for one in judged]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Contradictory where the encoder finds that likelier than both other classes together."""
        judged = await infer(self._judgements, text, context, spans, evidence)
        return [
            None
            if one is None
            else attribution_class(one.support, self._threshold, contradicted=one.contradicted)
            for one in judged
        ]

    def _judgements(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> list[Judgement | None]:
        alone = {claim.span: claim.sentence.text for claim in claims(text, context)}
        by_rules = judgements(text, context, spans, evidence)
        return [
            self._judgement(alone.get(span, span.of(text)), rules, evidence)
            for span, rules in zip(spans, by_rules, strict=True)
        ]

    def _judgement(self, said: str, rules: Judgement | None, evidence: Evidence) -> Judgement | None:
        """None for a sentence without a word, or longer than what the encoder reads.

        What the rules contradict, or miss in the evidence, is worth as much less as by the rules. Where they
        find every value said, or nearly the words, support is no lower than theirs.
        """
        if not any(map(str.isalnum, said)) or not self._encoder.reads(said):
            return None
        seen = beside(self._encoder, said, evidence.title, evidence.text)
        fitted = self._encoder.calibration.supports
        likely = fitted.probability(features(seen, None if rules is None else rules.support))
        support = _scaled(likely, fitted.threshold)
        against = seen.judged.contradictory > LIKELIER
        if rules is None:
            return Judgement(support, against, said=False, lacking=False)
        support *= (CONTRADICTED if rules.contradicted else 1.0) * (UNSAID if rules.lacking else 1.0)
        if rules.contradicted or rules.said or rules.support >= VERBATIM:
            support = max(support, rules.support)
        return rules._replace(support=support, contradicted=rules.contradicted or against)


class Seen(NamedTuple):
    """What the part of a passage that attributes a text best is to it, and the cosine of the nearest part."""

    judged: Judged
    cosine: float


def features(seen: Seen, rules: float | None) -> Mapping[str, float]:
    """What support is fitted on, by name."""
    return {
        "attributable": seen.judged.attributable,
        "contradictory": seen.judged.contradictory,
        "cosine": seen.cosine,
        "rules": 0.0 if rules is None else rules,
        "unjudged": float(rules is None),
    }


def beside(encoder: Encoder, said: str, title: str, passage: str) -> Seen:
    """A text beside the parts of a passage that share most words with it."""
    read = parts(said, passage, PARTS)
    judged = encoder.attribution([Claimed(said, title, part) for part in read])
    its, *theirs = encoder.embed([said, *read])
    return Seen(max(judged, key=lambda one: one.attributable), max(float(its @ one) for one in theirs))


def _scaled(likely: float, threshold: float) -> float:
    """The probability, with the calibrated threshold where the settings have theirs."""
    if likely < threshold:
        return likely / threshold * AT_THRESHOLD
    return AT_THRESHOLD + (likely - threshold) / (1 - threshold) * (1 - AT_THRESHOLD)
