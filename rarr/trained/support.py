"""The trained verifier: how far a passage attributes a sentence, by the encoder and the rules together."""

from collections.abc import Mapping, Sequence
from functools import lru_cache

from rarr.embedded.support import CONTRADICTED, Judgement, judgements
from rarr.encoder.model import Claimed, Encoder, Judged
from rarr.records import AttributionClass, Evidence
from rarr.tools.attribution import attribution_class
from rarr.tools.document import Span
from rarr.tools.worker import infer
from rarr.trained.reading import around
from rarr.trained.windows import parts

PARTS = 3  # of long evidence that are read for a sentence
VERBATIM = 0.8  # from this support by the rules on, the evidence says nearly the same words
LIKELIER = 0.5  # than both other classes together
AT_THRESHOLD = 0.55  # the support of what the calibration takes to be as likely attributable as not


class TrainedVerifier:
    """Support is the calibrated probability that the evidence makes a sentence attributable."""

    def __init__(self, encoder: Encoder, threshold: float) -> None:
        """From the support `threshold` on, what is not contradicted is attributable."""
        self._encoder, self._threshold = encoder, threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """The support of the sentences of `text` at `spans`; None for one without a word."""
        return await infer(supports, self._encoder, text, context, spans, evidence)

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Contradictory where the encoder finds that likelier than both other classes together."""
        return await infer(classes, self._encoder, text, context, spans, evidence, self._threshold)


def supports(
    encoder: Encoder, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
) -> list[float | None]:
    """The support of each sentence, from 0 to 1."""
    return [
        None if one is None else one.support for one in _judgements(encoder, text, context, spans, evidence)
    ]


def classes(
    encoder: Encoder,
    text: str,
    context: str | None,
    spans: Sequence[Span],
    evidence: Evidence,
    threshold: float,
) -> list[AttributionClass | None]:
    """The class of each sentence."""
    return [
        None if one is None else attribution_class(one.support, threshold, contradicted=one.contradicted)
        for one in _judgements(encoder, text, context, spans, evidence)
    ]


def features(judged: Judged, rules: float | None) -> Mapping[str, float]:
    """What support is fitted on, by name."""
    return {
        "attributable": judged.attributable,
        "contradictory": judged.contradictory,
        "rules": 0.0 if rules is None else rules,
        "unjudged": float(rules is None),
    }


def best(encoder: Encoder, said: str, title: str, passage: str) -> Judged:
    """What the part of a passage that attributes the text best is to it."""
    return max(_parts_judged(encoder, said, title, passage), key=lambda judged: judged.attributable)


def _judgements(
    encoder: Encoder, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
) -> list[Judgement | None]:
    """None for a sentence without a word; what the rules contradict is worth as much less as by the rules."""
    fitted = encoder.calibration.supports
    found: list[Judgement | None] = []
    for span, rules in zip(spans, judgements(text, context, spans, evidence), strict=True):
        if not any(character.isalnum() for character in span.of(text)):
            found.append(None)
            continue
        judged = best(encoder, around(text, span)[1], evidence.title, evidence.text)
        likely = fitted.probability(features(judged, None if rules is None else rules.support))
        against = rules is not None and rules.contradicted
        support = _scaled(likely, fitted.threshold) * (CONTRADICTED if against else 1.0)
        if rules is not None and (against or rules.support >= VERBATIM):
            support = max(support, rules.support)
        found.append(Judgement(support, against or judged.contradictory > LIKELIER))
    return found


@lru_cache(maxsize=4096)  # an edit, the report and the scores ask for the same sentences
def _parts_judged(encoder: Encoder, said: str, title: str, passage: str) -> tuple[Judged, ...]:
    return tuple(encoder.attribution([Claimed(said, title, part) for part in parts(said, passage, PARTS)]))


def _scaled(likely: float, threshold: float) -> float:
    """The probability, with the calibrated threshold where the settings have theirs."""
    if likely < threshold:
        return likely / threshold * AT_THRESHOLD
    return AT_THRESHOLD + (likely - threshold) / (1 - threshold) * (1 - AT_THRESHOLD)
