"""The trained verifier: how far a passage attributes a sentence, by the encoder and the rules together."""

from collections.abc import Callable, Mapping, Sequence
from typing import Any, NamedTuple, TypeVar

from rarr.backends.encoder.model import AttributionInput, AttributionScores, Encoder
from rarr.backends.encoder.weights import Logistic
from rarr.backends.encoder.windows import closest_windows
from rarr.backends.rules.claims import claims
from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.negation import is_denied
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.support import CONTRADICTED, UNSAID, RuleJudgement, claim_judgements
from rarr.records import AttributionClass, Evidence
from rarr.tools.concurrency.worker import encode
from rarr.tools.text.attribution_classes import attribution_class
from rarr.tools.text.document import Span

PARTS = 3  # of long evidence that are read for a sentence
VERBATIM = 0.8  # from this support by the rules on, the evidence says nearly the same words
IN_ITS_WORDS = 0.95  # and from this on, all of them: the encoder's doubt counts for nothing then
LIKELIER = 0.5  # than both other classes together
AT_THRESHOLD = 0.55  # the support of what is at the calibrated threshold: the default `support_threshold`


Result = TypeVar("Result")


class SentenceFeatures(NamedTuple):
    """A sentence beside evidence: what support is fitted on, by name, and what the rules make of it.

    `denied`: the evidence says the same words, but for a "not", an opposite, or parties that changed places.
    """

    features: Mapping[str, float]
    rules: RuleJudgement | None
    denied: bool


class TrainedVerifier:
    """Support is the calibrated probability that the evidence makes a sentence attributable."""

    def __init__(self, encoder: Encoder, threshold: float) -> None:
        """From the support `threshold` on, what is not contradicted is attributable."""
        self._encoder, self._threshold = encoder, threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """The support of the sentences of `text` at `spans`; None for one that cannot be judged."""
        return await encode(self._judged, self._support, text, context, spans, evidence)

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Contradictory where the rules say so, or the encoder finds it likelier than both other classes.

        The encoder is not heard where the rules find each value and nearly every word said.
        """
        return await encode(self._judged, self._class, text, context, spans, evidence)

    def _judged(self, judge: Callable[[SentenceFeatures], Result], *about: Any) -> list[Result | None]:
        """What `judge` makes of each sentence; None for one that cannot be judged."""
        found = sentence_features(self._encoder, *about)
        return [None if one is None else judge(one) for one in found]

    def _support(self, one: SentenceFeatures) -> float:
        fitted = self._encoder.calibration.supports
        return max(scaled_support(likelihood(fitted, one), fitted.threshold), least_support(one))

    def _class(self, one: SentenceFeatures) -> AttributionClass | None:
        rules = one.rules
        by_rules = rules is not None and rules.contradicted
        in_its_words = rules is not None and rules.said and rules.support >= IN_ITS_WORDS
        against = by_rules or (one.features["contradictory"] > LIKELIER and not in_its_words)
        return attribution_class(self._support(one), self._threshold, contradicted=against)


def sentence_features(
    encoder: Encoder, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
) -> list[SentenceFeatures | None]:
    """The sentences of `text` at `spans`; None for one without a word, or longer than what the encoder reads.

    Each is read alone, with its subject put in.
    """
    alone = {claim.span: claim.sentence.text for claim in claims(text, context)}
    said = [alone.get(span, span.of(text)) for span in spans]
    readable = [one for one in dict.fromkeys(said) if any(map(str.isalnum, one)) and encoder.reads(one)]
    features = dict(zip(readable, _read(encoder, readable, evidence), strict=True))
    told = parsed_passage(evidence.text, evidence.title)
    return [
        SentenceFeatures(
            features[one] | _of_rules(rules),
            rules,
            is_denied(parsed_sentence(one), told.sentences, told.title_stems),
        )
        if one in features
        else None
        for one, rules in zip(said, claim_judgements(text, context, spans, evidence), strict=True)
    ]


def likelihood(fitted: Logistic, one: SentenceFeatures) -> float:
    """How likely it is that the sentence is attributable, by what was fitted.

    What the rules contradict or find denied, or miss in the evidence, is worth as much less as by the rules.
    """
    likely, rules = fitted.probability(one.features), one.rules
    if one.denied:
        likely *= CONTRADICTED
    if rules is not None:
        likely *= (CONTRADICTED if rules.contradicted else 1.0) * (UNSAID if rules.lacking else 1.0)
    return likely


def least_support(one: SentenceFeatures) -> float:
    """What support is at least: that by the rules where they are surest.

    They are where they contradict it, find every value said, or nearly the words.
    """
    rules = one.rules
    if rules is None:
        return 0.0
    return rules.support if rules.contradicted or rules.said or rules.support >= VERBATIM else 0.0


def _read(encoder: Encoder, texts: Sequence[str], evidence: Evidence) -> list[dict[str, float]]:
    """For each text its class by the part that attributes it best, and the cosine of the nearest part."""
    read = [closest_windows(one, evidence.text, PARTS) for one in texts]
    beside = [
        AttributionInput(one, evidence.title, part)
        for one, its in zip(texts, read, strict=True)
        for part in its
    ]
    judged = dict(zip(beside, encoder.attribution(beside), strict=True))
    embedded = list(dict.fromkeys([*texts, *(one.passage for one in beside)]))
    vectors = dict(zip(embedded, encoder.embed(embedded), strict=True))
    found = []
    for one, its in zip(texts, read, strict=True):
        best = max((judged[AttributionInput(one, evidence.title, part)] for part in its), key=_attributable)
        found.append(
            {
                "attributable": best.attributable,
                "contradictory": best.contradictory,
                "cosine": max(float(vectors[one] @ vectors[part]) for part in its),
            }
        )
    return found


def _attributable(judged: AttributionScores) -> float:
    return judged.attributable


def _of_rules(rules: RuleJudgement | None) -> dict[str, float]:
    return {"rules": 0.0 if rules is None else rules.support, "unjudged": float(rules is None)}


def scaled_support(likely: float, threshold: float) -> float:
    """The likelihood, with the calibrated threshold where the settings have theirs."""
    if likely < threshold or threshold >= 1:
        return likely / threshold * AT_THRESHOLD
    return AT_THRESHOLD + (likely - threshold) / (1 - threshold) * (1 - AT_THRESHOLD)
