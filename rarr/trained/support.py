"""The trained verifier: how far a passage attributes a sentence, by the encoder and the rules together."""

from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.embedded.claims import claims
from rarr.embedded.negation import denies
from rarr.embedded.reading import passage
from rarr.embedded.sentence import sentence
from rarr.embedded.support import CONTRADICTED, UNSAID, Judgement, judgements
from rarr.encoder.model import Claimed, Encoder
from rarr.encoder.weights import Logistic
from rarr.records import AttributionClass, Evidence
from rarr.tools.attribution import attribution_class
from rarr.tools.document import Span
from rarr.tools.worker import infer
from rarr.trained.windows import parts

PARTS = 3  # of long evidence that are read for a sentence
VERBATIM = 0.8  # from this support by the rules on, the evidence says nearly the same words
LIKELIER = 0.5  # than both other classes together
AT_THRESHOLD = 0.55  # the support of what is at the calibrated threshold: the default `support_threshold`


class Seen(NamedTuple):
    """A sentence beside evidence: what support is fitted on, by name, and what the rules make of it.

    `denied`: the evidence says the same words, one of the two with a "not".
    """

    features: Mapping[str, float]
    rules: Judgement | None
    denied: bool = False


class TrainedVerifier:
    """Support is the calibrated probability that the evidence makes a sentence attributable."""

    def __init__(self, encoder: Encoder, threshold: float) -> None:
        """From the support `threshold` on, what is not contradicted is attributable."""
        self._encoder, self._threshold = encoder, threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """The support of the sentences of `text` at `spans`; None for one that cannot be judged."""
        found = await infer(seen, self._encoder, text, context, spans, evidence)
        return [None if one is None else self._support(one) for one in found]

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Contradictory where the rules say so, or the encoder finds it likelier than both other classes."""
        found = await infer(seen, self._encoder, text, context, spans, evidence)
        return [None if one is None else self._class(one) for one in found]

    def _support(self, one: Seen) -> float:
        fitted = self._encoder.calibration.supports
        return _scaled(likelihood(fitted, one), fitted.threshold)

    def _class(self, one: Seen) -> AttributionClass | None:
        by_rules = one.rules is not None and one.rules.contradicted
        against = by_rules or one.features["contradictory"] > LIKELIER
        return attribution_class(self._support(one), self._threshold, contradicted=against)


def seen(
    encoder: Encoder, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
) -> list[Seen | None]:
    """The sentences of `text` at `spans`; None for one without a word, or longer than what the encoder reads.

    Each is read alone, with its subject put in.
    """
    alone = {claim.span: claim.sentence.text for claim in claims(text, context)}
    told = passage(evidence.text, evidence.title).sentences
    found: list[Seen | None] = []
    for span, rules in zip(spans, judgements(text, context, spans, evidence), strict=True):
        said = alone.get(span, span.of(text))
        if any(map(str.isalnum, said)) and encoder.reads(said):
            features = _features(encoder, said, evidence, rules)
            found.append(Seen(features, rules, denies(sentence(said), told)))
        else:
            found.append(None)
    return found


def likelihood(fitted: Logistic, one: Seen) -> float:
    """How likely it is that the sentence is attributable, by what was fitted and by the rules.

    What the rules contradict or find denied, or miss in the evidence, is worth as much less as by the rules.
    Where they contradict it, find every value said, or nearly the words, it is no lower than their support.
    """
    likely, rules = fitted.probability(one.features), one.rules
    if one.denied:
        likely *= CONTRADICTED
    if rules is None:
        return likely
    likely *= (CONTRADICTED if rules.contradicted else 1.0) * (UNSAID if rules.lacking else 1.0)
    if rules.contradicted or rules.said or rules.support >= VERBATIM:
        return max(likely, rules.support)
    return likely


def _features(
    encoder: Encoder, said: str, evidence: Evidence, rules: Judgement | None
) -> Mapping[str, float]:
    """The class by the part of the evidence that attributes the sentence best, the cosine of the nearest."""
    read = parts(said, evidence.text, PARTS)
    judged = encoder.attribution([Claimed(said, evidence.title, part) for part in read])
    best = max(judged, key=lambda one: one.attributable)
    its, *theirs = encoder.embed([said, *read])
    return {
        "attributable": best.attributable,
        "contradictory": best.contradictory,
        "cosine": max(float(its @ one) for one in theirs),
        "rules": 0.0 if rules is None else rules.support,
        "unjudged": float(rules is None),
    }


def _scaled(likely: float, threshold: float) -> float:
    """The likelihood, with the calibrated threshold where the settings have theirs."""
    if likely < threshold:
        return likely / threshold * AT_THRESHOLD
    return AT_THRESHOLD + (likely - threshold) / (1 - threshold) * (1 - AT_THRESHOLD)
