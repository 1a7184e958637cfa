"""Rule-based support: scores from 0 to 1 how many of a claim's words and values a passage has in context."""

from collections.abc import Hashable, Sequence
from functools import lru_cache
from typing import NamedTuple

from rarr.backends.rules.agreement import value_agreement
from rarr.backends.rules.counterparts import Counterparts, ParsedPassage, counterparts, parsed_passage
from rarr.backends.rules.denied_claims import is_denied
from rarr.backends.rules.parsed_sentence import parsed_sentence
from rarr.backends.rules.standalone_claims import Claim, claims
from rarr.backends.rules.values import Value, same_value
from rarr.records import AttributionClass, Evidence
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.text.attribution_class_by_support import attribution_class
from rarr.tools.text.blocks_and_sentences import Span

UNSAID = 0.75  # factor of support where the evidence lacks a number or date of the claim
CONTRADICTED = 0.4  # factor of support where the evidence denies the claim or contradicts a value of it


class RuleJudgement(NamedTuple):
    """The support of a claim (0 to 1), with the reasons for it.

    `contradicted`: the evidence has another value for a value of the claim. `is_all_said`: it agrees with all
    values, and does not deny the claim. `lacking`: it lacks a number or date of the claim.
    """

    support: float
    contradicted: bool
    is_all_said: bool
    lacking: bool


class ClaimReading(NamedTuple):
    """All of a claim that its support depends on. The place of the claim in its text makes no difference."""

    statement: str
    about: str
    put_in: int
    topic: str

    @classmethod
    def of(cls, claim: Claim) -> "ClaimReading":
        """Returns the claim without its place."""
        return cls(claim.sentence.text, claim.about, claim.put_in, claim.topic)


class ValueVerifier:
    """Judges by rules. Support is half the share of the claim's words, half that of its values in context.

    It is lower where the evidence lacks a number or date of the claim, denies the claim or contradicts a
    value.
    """

    def __init__(self, threshold: float) -> None:
        """A claim with at least the support `threshold` and no contradicted value is attributable."""
        self._threshold = threshold

    async def support(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[float | None]:
        """Returns the support (0 to 1) of the sentences of `text` at `spans`; None for one without a value.

        A value is a date, number, name or exclusive word of the sentence itself.
        """
        return await work(claim_supports, text, context, spans, evidence)

    async def classify(
        self, text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
    ) -> Sequence[AttributionClass | None]:
        """Returns the class of each sentence; None for a sentence without a value of its own.

        Contradictory if the evidence contradicts a value, else attributable from `threshold` on.
        """
        return await work(claim_classes, text, context, spans, evidence, self._threshold)

    async def readings(self, text: str, context: str | None, spans: Sequence[Span]) -> Sequence[Hashable]:
        """Returns the claim of each sentence, without its place; None for a sentence that is no claim."""
        return await work(claim_readings, text, context, spans)


def claim_supports(
    text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
) -> list[float | None]:
    """Returns the support of each sentence; None for no claim, or a claim without a value of its own."""
    judged = claim_judgements(text, context, spans, evidence)
    return [None if judgement is None else judgement.support for judgement in judged]


def claim_classes(
    text: str, context: str | None, spans: Sequence[Span], evidence: Evidence, threshold: float
) -> list[AttributionClass | None]:
    """Returns the class of each sentence, attributable from `threshold` on.

    None for no claim, or a claim without a value of its own.
    """
    return [
        None
        if judgement is None
        else attribution_class(judgement.support, threshold, contradicted=judgement.contradicted)
        for judgement in claim_judgements(text, context, spans, evidence)
    ]


def claim_judgements(
    text: str, context: str | None, spans: Sequence[Span], evidence: Evidence
) -> list[RuleJudgement | None]:
    """Returns the judgement of each sentence; None for no claim, or a claim without a value of its own."""
    return [
        None if reading is None else _remembered(*reading, evidence.text, evidence.title)
        for reading in claim_readings(text, context, spans)
    ]


def claim_readings(text: str, context: str | None, spans: Sequence[Span]) -> list[ClaimReading | None]:
    """Returns all that the rules read of each sentence; None for a sentence that is no claim."""
    known = {claim.span: claim for claim in claims(text, context)}
    return [ClaimReading.of(known[span]) if span in known else None for span in spans]


@lru_cache(maxsize=4096)  # an edit, the report and the scores ask for the same sentences
def _remembered(
    statement: str, about: str, put_in: int, topic: str, text: str, title: str
) -> RuleJudgement | None:
    """Judges a claim by its reading, and remembers the result."""
    claim = Claim(Span(0, len(statement)), parsed_sentence(statement), about, put_in, topic=topic)
    return claim_judgement(claim, parsed_passage(text, title))


def claim_judgement(claim: Claim, evidence: ParsedPassage) -> RuleJudgement | None:
    """Judges a claim by a passage.

    Support is below 0.4 if the evidence contradicts a value, and falls with each such value. None for a claim
    without a value of its own: shared words show the subject, not the statement.
    """
    stems = [word.stem for word in claim.sentence.content]
    if not stems or not any(value.start >= claim.put_in for value in claim.sentence.values):
        return None
    shared = sum(stem in evidence.spread or stem in evidence.title_stems for stem in stems) / len(stems)
    readings = [
        (value, counterparts(claim.sentence, value, evidence, claim.about)) for value in claim.sentence.values
    ]
    checkable = [value for value in claim.sentence.values if value.kind != "term"]
    placed = [_placed(value, reading, evidence) for value, reading in readings if value.kind != "term"]
    support = 0.5 * shared + 0.5 * (sum(placed) / len(placed) if placed else shared)
    lacking = any(value.kind in ("number", "date") and not evidence.holds(value) for value in checkable)
    if lacking:
        support *= UNSAID
    verdicts = [value_agreement(claim, value, reading, evidence).verdict for value, reading in readings]
    contradicted = verdicts.count("disagrees")
    if contradicted:
        support = support * CONTRADICTED * (1 - contradicted / len(verdicts))
    denied = is_denied(claim.sentence, evidence.sentences, evidence.title_stems)
    if denied:
        support *= CONTRADICTED
    is_said = not denied and all(
        verdict == "agrees" or _first_word(claim, value, evidence)
        for (value, _), verdict in zip(readings, verdicts, strict=True)
    )
    return RuleJudgement(support, contradicted > 0, is_said, lacking)


def _first_word(claim: Claim, value: Value, evidence: ParsedPassage) -> bool:
    """Is the value a name that is only the first word, and so perhaps no name, and has the evidence it?"""
    first = claim.sentence.words[0]
    return value.kind == "name" and value[:2] == first[:2] and first.stem in evidence.spread


def _placed(value: Value, reading: Counterparts, evidence: ParsedPassage) -> float:
    """Scores how well the passage has the value in its context: 0 if it lacks the value, else 0.5 to 1."""
    own = reading.own
    in_title = any(same_value(value, titled) for titled in evidence.title_values)
    if own is None and not in_title:
        return 0.0
    return 0.5 + 0.5 * max(own.coverage if own else 0.0, 0.5 if in_title else 0.0)
