"""Trained agreement: the encoder points at what the passage says in a value's place, the rules compare.

A cloze reader (Glass et al. 2020) binds values to their roles; whether two values differ is for the rules to
say, and so is whether the passage is about the claim's subject. Both together are calibrated: it would rather
abstain than contradict wrongly.
"""

from collections.abc import Mapping
from functools import lru_cache, partial
from typing import NamedTuple

from rarr.embedded.agreement import asked_for, compare
from rarr.embedded.claims import Claim, claims
from rarr.embedded.names import Name, is_person, names
from rarr.embedded.questions import askable
from rarr.embedded.reading import Passage, passage, read as read_by_rules
from rarr.embedded.subjects import about_something_else
from rarr.embedded.values import Value, same, values
from rarr.encoder.model import Encoder, Judged
from rarr.encoder.weights import Calibration, Logistic
from rarr.records import Agreement, Evidence, Query, Verdict
from rarr.tools.document import Span
from rarr.tools.worker import infer
from rarr.trained.reading import NEVER, Found, Other, read

_VERDICTS: tuple[Verdict, ...] = ("agrees", "disagrees", "irrelevant")
_WIDEST = 10.0  # gap between two log-probabilities that makes a difference


class TrainedAgreement:
    """Asks the encoder what the evidence says in place of the value that a query asks for."""

    def __init__(self, encoder: Encoder) -> None:
        # The queries about one claim ask for its values one by one.
        self._verdicts = lru_cache(maxsize=2048)(partial(_verdicts_at, encoder))

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """`unknown` where the query is about no value that the rules can read, or nothing is sure."""
        return await infer(self._agreement, text, context, query, evidence)

    def _agreement(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        asked = asked_for(text, context, query)
        place = None if asked is None else asked[0].in_text(asked[1].start, asked[1].end)
        if asked is None or place is None:
            return Agreement(verdict="unknown", reason="the query asks for no single value of the text")
        return self._verdicts(text, context, asked[0].span, evidence.title, evidence.text)[place]


class Weighed(NamedTuple):
    """A value of a claim with what speaks for and against it: the decisions are fitted on `features`.

    `nowhere`: the passage does not have it, and says nothing in its place either.
    """

    said: str
    place: Span
    other: Other
    rules: Agreement
    about: bool
    features: Mapping[str, float]
    nowhere: bool


def _verdicts_at(
    encoder: Encoder, text: str, context: str | None, span: Span, title: str, evidence: str
) -> Mapping[Span, Agreement]:
    claim = next(one for one in claims(text, context) if one.span == span)
    return verdicts(encoder, text, claim, title, evidence)


def verdicts(
    encoder: Encoder, text: str, claim: Claim, title: str, evidence: str
) -> Mapping[Span, Agreement]:
    """What `evidence` says of each value of the claim that can be asked for, by its place in the text.

    By the rules alone where the claim is longer than what the encoder reads, or the evidence is about another
    thing. A contradiction of the whole claim is told at the value that is most likely wrong; of those that
    the rules do not confirm, where there are any.
    """
    by_passage, asked = passage(evidence, title), askable(text, claim)
    elsewhere = all(about_something_else(claim, value, by_passage) for value, _ in asked)
    seen = None if elsewhere else weighed(encoder, text, claim, title, evidence)
    if seen is None:
        return {place: _by_rules(claim, value, by_passage) for value, place in asked}
    judged, found = seen
    fitted = encoder.calibration
    decided = {one.place: _decided(fitted, one) for one in found}
    features = of_claim(fitted.disagrees, fitted.agrees, judged, found)
    sure = [place for place, one in decided.items() if one.verdict == "disagrees"]
    if found and not sure and all(one.about for one in found) and fitted.contradicts.holds(features):
        unconfirmed = [one for one in found if one.rules.verdict != "agrees"] or found
        worst = max(unconfirmed, key=lambda one: fitted.disagrees.probability(one.features))
        decided[worst.place] = Agreement(
            verdict="disagrees",
            text_answer=worst.said,
            reason="the evidence contradicts the sentence",
            confidence=fitted.contradicts.probability(features),
        )
    return decided


def weighed(
    encoder: Encoder, text: str, claim: Claim, title: str, evidence: str
) -> tuple[Judged, list[Weighed]] | None:
    """What the encoder makes of the claim, and each value of it weighed; None where the claim is too long."""
    seen = read(encoder, text, claim, title, evidence)
    if seen is None:
        return None
    by_passage = passage(evidence, title)
    found = []
    for one in seen.found:
        rules = _by_rules(claim, one.value, by_passage)
        other = _differing(claim.sentence.text, one)
        found.append(
            Weighed(
                said=one.place.of(text),
                place=one.place,
                other=other,
                rules=rules,
                about=not about_something_else(claim, one.value, by_passage),
                features=_features(seen.judged, one, other, rules),
                nowhere=one.own <= NEVER and one.nowhere > other.log,
            )
        )
    return seen.judged, found


def _by_rules(claim: Claim, value: Value, by_passage: Passage) -> Agreement:
    reading = read_by_rules(claim.sentence, value, by_passage, claim.about)
    return compare(claim, value, reading, by_passage)


def of_claim(
    disagrees: Logistic, agrees: Logistic, judged: Judged, found: list[Weighed]
) -> Mapping[str, float]:
    """What the contradiction of a whole claim is fitted on, by name."""
    return {
        "attributable": judged.attributable,
        "contradictory": judged.contradictory,
        "disagrees": max((disagrees.probability(one.features) for one in found), default=0.0),
        "agrees": min((agrees.probability(one.features) for one in found), default=1.0),
        "wrong": max((p for _, p in judged.wrong), default=0.0),
        "rules_disagree": float(any(one.rules.verdict == "disagrees" for one in found)),
        "nowhere": float(any(one.nowhere for one in found)),
    }


def _decided(fitted: Calibration, one: Weighed) -> Agreement:
    """The verdict about one value. Where the rules are sure, theirs: they err least."""
    if not one.about or one.rules.verdict in ("agrees", "disagrees"):
        return one.rules
    if one.other.said and fitted.disagrees.holds(one.features):
        return Agreement(
            verdict="disagrees",
            text_answer=one.said,
            evidence_answer=one.other.said,
            reason=f"the evidence has {one.other.said!r} where the text has {one.said!r}",
            confidence=fitted.disagrees.probability(one.features),
        )
    return one.rules


def _differing(text: str, found: Found) -> Other:
    """The most probable other value that the rules can tell from the claim's; an empty one for none.

    A person stands for no body or place, and a small count that the passage does not have may be one that the
    claim made itself.
    """
    value = found.value
    said = text[value.start : value.end]
    if value.kind == "number" and found.own <= NEVER and not any(map(str.isdigit, said)):
        return Other("", NEVER)
    for other in found.others:
        if isinstance(value.read, Name):
            its = next((one for one in names(other.said) if one.text == other.said), None)
            if its is None or is_person(text, value.read) == is_person(other.said, its):
                return other
            continue
        read_there = [one for one in values(other.said) if one.kind == value.kind]
        if read_there and same(value, read_there[0]) is False:
            return other
    return Other("", NEVER)


def _features(judged: Judged, found: Found, other: Other, rules: Agreement) -> Mapping[str, float]:
    """What the decisions about a value are fitted on, by name."""
    behind = next((one.log for one in found.others if one.log < other.log), NEVER)
    return {
        "other_over_own": _clipped(other.log - found.own),
        "other_over_nowhere": _clipped(other.log - found.nowhere),
        "own_over_nowhere": _clipped(found.own - found.nowhere),
        "other_over_next": _clipped(other.log - behind),
        "other": max(other.log, -_WIDEST),
        "unsaid": float(found.own <= NEVER),
        "wrong": found.wrong,
        "attributable": judged.attributable,
        "contradictory": judged.contradictory,
    } | {f"rules_{verdict}": float(rules.verdict == verdict) for verdict in _VERDICTS}


def _clipped(gap: float) -> float:
    return max(-_WIDEST, min(_WIDEST, gap))
