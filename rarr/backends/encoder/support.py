"""Computes by encoder and rules together how well evidence supports a sentence, from 0 to 1."""

from collections.abc import Callable, Hashable, Mapping, Sequence
from functools import lru_cache
from typing import Any, NamedTuple, TypeVar

from rarr.backends.encoder.model import AttributionInput, AttributionScores, Encoder
from rarr.backends.encoder.window_selection import closest_windows
from rarr.backends.logistic import Logistic, scaled_support
from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.denied_claims import is_denied
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.standalone_claims import claims
from rarr.backends.rules.support import (
    CONTRADICTED,
    UNSAID,
    RuleJudgement,
    claim_judgements,
    claim_readings,
)
from rarr.records import AttributionClass, Evidence
from rarr.tools.concurrency.worker_threads import encode, work
from rarr.tools.text.attribution_class_by_support import attribution_class
from rarr.tools.text.blocks_and_sentences import Span

PARTS = 3  # windows of long evidence that the encoder reads for a sentence
VERBATIM = 0.8  # from this support by the rules on, the evidence has nearly the same words
IN_ITS_WORDS = 0.95  # from this support on, it has all words, and the encoder's doubt is ignored
LIKELIER = 0.5  # above this probability a class is likelier than both other classes together


Result = TypeVar("Result")


class SentenceFeatures(NamedTuple):
    """A sentence beside evidence: the inputs of its support by name, and the judgement of the rules.

    `denied`: the evidence has the same words, but also a "not", an opposite, or swapped roles.
    """

    features: Mapping[str, float]
    rules: RuleJudgement | None
    denied: bool


class TrainedVerifier:
    """A verifier: support is the calibrated probability that evidence makes a sentence attributable.

    It is scaled, and at least the support by the rules where these are sure.
    """

    def __init__(self, encoder: Encoder, threshold: float) -> None:
        """A sentence with at least the support `threshold` and no contradiction is attributable."""
        self._encoder, self._threshold = encoder, threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the support of the sentences of `text` at `spans`, from 0 to 1.

        None for a sentence without words, or too long to read.
        """
        return await encode(self._judged, self._support, text, context, spans, evidence)

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Returns the class of each sentence; None for one without words, or too long to read.

        Contradictory if the rules say so, or if the encoder is more than half sure of it. The encoder is
        ignored if the rules find every value and nearly every word said.
        """
        return await encode(self._judged, self._class, text, context, spans, evidence)

    async def readings(self, text: str, context: str | None, spans: Sequence[Span]) -> Sequence[Hashable]:
        """Returns the statement of each sentence, which the encoder reads, and what the rules read."""
        return await work(_readings, text, context, spans)

    def _judged(self, judge: Callable[[SentenceFeatures], Result], *about: Any) -> list[Result | None]:
        """Computes the features of each sentence and applies `judge` to them; None without features."""
        features = sentence_features(self._encoder, *about)
        return [None if sentence is None else judge(sentence) for sentence in features]

    def _support(self, sentence: SentenceFeatures) -> float:
        fitted = self._encoder.calibration.supports
        return max(scaled_support(likelihood(fitted, sentence), fitted.threshold), least_support(sentence))

    def _class(self, sentence: SentenceFeatures) -> AttributionClass | None:
        rules = sentence.rules
        by_rules = rules is not None and rules.contradicted
        in_its_words = rules is not None and rules.is_all_said and rules.support >= IN_ITS_WORDS
        against = by_rules or (sentence.features["contradictory"] > LIKELIER and not in_its_words)
        return attribution_class(self._support(sentence), self._threshold, contradicted=against)


def sentence_features(
    encoder: Encoder, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
) -> list[SentenceFeatures | None]:
    """Computes the features of the sentences at `spans`; None for one without words, or too long to read.

    The encoder reads each sentence alone, with its subject put in.
    """
    statements = _statements(text, context, spans)
    readable = [
        statement
        for statement in dict.fromkeys(statements)
        if any(map(str.isalnum, statement)) and encoder.reads(statement)
    ]
    features = dict(zip(readable, _read(encoder, readable, evidence), strict=True))
    return [
        SentenceFeatures(
            features[statement] | _of_rules(rules),
            rules,
            _is_denied(statement, evidence.text, evidence.title),
        )
        if statement in features
        else None
        for statement, rules in zip(statements, claim_judgements(text, context, spans, evidence), strict=True)
    ]


def _statements(text: str, context: str | None, spans: Sequence[Span]) -> list[str]:
    alone = {claim.span: claim.sentence.text for claim in claims(text, context)}
    return [alone.get(span, span.of(text)) for span in spans]


def _readings(text: str, context: str | None, spans: Sequence[Span]) -> list[Hashable]:
    statements, by_rules = _statements(text, context, spans), claim_readings(text, context, spans)
    return list(zip(statements, by_rules, strict=True))


def likelihood(fitted: Logistic, sentence: SentenceFeatures) -> float:
    """Computes the fitted probability that the sentence is attributable.

    Contradictions, denials and missing values reduce it by the same factors as the support of the rules.
    """
    likely, rules = fitted.probability(sentence.features), sentence.rules
    if sentence.denied:
        likely *= CONTRADICTED
    if rules is not None:
        likely *= (CONTRADICTED if rules.contradicted else 1.0) * (UNSAID if rules.lacking else 1.0)
    return likely


def least_support(sentence: SentenceFeatures) -> float:
    """Returns the support by the rules if they are sure, else 0.

    They are sure of contradicted claims, and of claims with every value or nearly all words in the
    evidence.
    """
    rules = sentence.rules
    if rules is None:
        return 0.0
    return rules.support if rules.contradicted or rules.is_all_said or rules.support >= VERBATIM else 0.0


@lru_cache(maxsize=4096)  # each edit of a paragraph asks again for the sentences after it
def _is_denied(statement: str, text: str, title: str) -> bool:
    parsed = parsed_passage(text, title)
    return is_denied(parsed_sentence(statement), parsed.sentences, parsed.title_stems)


def _read(encoder: Encoder, texts: Sequence[str], evidence: Evidence) -> list[dict[str, float]]:
    """Computes the encoder's features of each text: two class probabilities, and its highest cosine.

    The classes are attributable and contradictory, by the window of the evidence that supports the text best.
    """
    read = [closest_windows(text, evidence.text, PARTS) for text in texts]
    beside = [
        AttributionInput(text, evidence.title, part)
        for text, windows in zip(texts, read, strict=True)
        for part in windows
    ]
    judged = dict(zip(beside, encoder.attribution(beside), strict=True))
    embedded = list(dict.fromkeys([*texts, *(text.passage for text in beside)]))
    vectors = dict(zip(embedded, encoder.embed(embedded), strict=True))
    features = []
    for text, windows in zip(texts, read, strict=True):
        best = max(
            (judged[AttributionInput(text, evidence.title, part)] for part in windows), key=_attributable
        )
        features.append(
            {
                "attributable": best.attributable,
                "contradictory": best.contradictory,
                "cosine": max(float(vectors[text] @ vectors[part]) for part in windows),
            }
        )
    return features


def _attributable(judged: AttributionScores) -> float:
    return judged.attributable


def _of_rules(rules: RuleJudgement | None) -> dict[str, float]:
    return {"rules": 0.0 if rules is None else rules.support, "unjudged": float(rules is None)}
