"""Trained agreement: the encoder points at what the passage says in a value's place, the rules compare.

A cloze reader (Glass et al. 2020) binds values to their roles; whether two values differ is for the rules to
say, and so is whether the passage is about the claim's subject. Both together are calibrated: it would rather
abstain than contradict wrongly.
"""

from collections.abc import Mapping
from functools import lru_cache
from typing import NamedTuple

from rarr.embedded.agreement import asked_for, compare
from rarr.embedded.claims import Claim
from rarr.embedded.names import Name, is_person, names
from rarr.embedded.questions import askable
from rarr.embedded.reading import passage, read as read_by_rules
from rarr.embedded.subjects import about_something_else
from rarr.embedded.values import Value, same, values
from rarr.encoder.model import Encoder, Judged
from rarr.encoder.weights import Calibration
from rarr.records import Agreement, Evidence, Query, Verdict
from rarr.tools.document import Span
from rarr.tools.worker import infer
from rarr.trained.reading import NEVER, Found, Other, Read, read

_VERDICTS: tuple[Verdict, ...] = ("agrees", "disagrees", "irrelevant")
_WIDEST = 10.0  # gap between two log-probabilities that makes a difference


class TrainedAgreement:
    """Asks the encoder what the evidence says in place of the value that a query asks for."""

    def __init__(self, encoder: Encoder) -> None:
        self._encoder = encoder

    async def check(self, text: str, context: str | None, query: Query, evidence: Evidence) -> Agreement:
        """`unknown` where the query is about no value that the rules can read, or nothing is sure."""
        return await infer(agreement, self._encoder, text, context, query, evidence)


def agreement(
    encoder: Encoder, text: str, context: str | None, query: Query, evidence: Evidence
) -> Agreement:
    """Compares the value that `query` asks for with what the evidence has in its place."""
    asked = asked_for(text, context, query)
    place = None if asked is None else asked[0].in_text(asked[1].start, asked[1].end)
    if asked is None or place is None:
        return Agreement(verdict="unknown", reason="the query asks for no single value of the text")
    return verdicts(encoder, text, context, asked[0], evidence.title, evidence.text)[place]


class Weighed(NamedTuple):
    """A value of a claim with what speaks for and against it; `told` is what the decisions are fitted on."""

    said: str
    place: Span
    other: Other
    rules: Agreement
    about: bool
    told: Mapping[str, float]
    unsaid: bool


@lru_cache(maxsize=2048)  # the queries about one claim ask for its values one by one
def verdicts(
    encoder: Encoder, text: str, context: str | None, claim: Claim, title: str, evidence: str
) -> Mapping[Span, Agreement]:
    """What `evidence` says of each value of the claim that can be asked for, by its place in the text."""
    judged, found = weighed(encoder, text, context, claim, title, evidence)
    fitted = encoder.calibration
    decided = {one.place: _decided(fitted, one) for one in found}
    told = of_claim(fitted, judged, found)
    sure = [place for place, one in decided.items() if one.verdict == "disagrees"]
    if found and not sure and all(one.about for one in found) and fitted.contradicts.holds(told):
        worst = max(found, key=lambda one: fitted.disagrees.probability(one.told))
        decided[worst.place] = Agreement(
            verdict="disagrees",
            text_answer=worst.said,
            reason="the evidence contradicts the sentence",
            confidence=fitted.contradicts.probability(told),
        )
    return decided


def weighed(
    encoder: Encoder, text: str, context: str | None, claim: Claim, title: str, evidence: str
) -> tuple[Judged, list[Weighed]]:
    """What the encoder makes of the claim, and each value of it weighed."""
    seen = read(encoder, text, context, claim.span, title, evidence)
    by_passage = passage(evidence, title)
    found = []
    for (value, place), mine in zip(askable(text, claim), seen.found, strict=True):
        rules = compare(
            claim, value, read_by_rules(claim.sentence, value, by_passage, claim.about), by_passage
        )
        other = _differing(claim.sentence.text, value, mine)
        found.append(
            Weighed(
                said=place.of(text),
                place=place,
                other=other,
                rules=rules,
                about=not about_something_else(claim, value, by_passage),
                told=_features(seen, mine, other, rules),
                unsaid=mine.own <= NEVER and mine.nowhere > other.log,
            )
        )
    return seen.judged, found


def of_claim(fitted: Calibration, judged: Judged, found: list[Weighed]) -> Mapping[str, float]:
    """What the contradiction of a whole claim is fitted on, by name."""
    return {
        "attributable": judged.attributable,
        "contradictory": judged.contradictory,
        "disagrees": max((fitted.disagrees.probability(one.told) for one in found), default=0.0),
        "agrees": min((fitted.agrees.probability(one.told) for one in found), default=1.0),
        "wrong": max((p for _, p in judged.wrong), default=0.0),
        "rules_disagree": float(any(one.rules.verdict == "disagrees" for one in found)),
        "unsaid": float(any(one.unsaid for one in found)),
    }


def _decided(fitted: Calibration, one: Weighed) -> Agreement:
    """The verdict about one value. Where the rules are sure, theirs: they err least."""
    if not one.about or one.rules.verdict in ("agrees", "disagrees"):
        return one.rules
    if one.other.said and fitted.disagrees.holds(one.told):
        return Agreement(
            verdict="disagrees",
            text_answer=one.said,
            evidence_answer=one.other.said,
            reason=f"the evidence has {one.other.said!r} where the text has {one.said!r}",
            confidence=fitted.disagrees.probability(one.told),
        )
    return one.rules


def _differing(text: str, value: Value, found: Found) -> Other:
    """The most probable other value that the rules can tell from the claim's; an empty one for none.

    A person stands for no body or place, and a small count that the passage does not have may be one that the
    claim made itself.
    """
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


def _features(seen: Read, found: Found, other: Other, rules: Agreement) -> Mapping[str, float]:
    """What the decisions about a value are fitted on, by name."""
    judged = seen.judged
    behind = next((one.log for one in found.others if one.log < other.log), NEVER)
    return {
        "other_over_own": _limited(other.log - found.own),
        "other_over_nowhere": _limited(other.log - found.nowhere),
        "own_over_nowhere": _limited(found.own - found.nowhere),
        "other_over_next": _limited(other.log - behind),
        "other": max(other.log, -_WIDEST),
        "unsaid": float(found.own <= NEVER),
        "wrong": found.wrong,
        "attributable": judged.attributable,
        "contradictory": judged.contradictory,
        "same_answer": float(rules.verdict == "disagrees" and rules.evidence_answer.endswith(other.said)),
    } | {f"rules_{verdict}": float(rules.verdict == verdict) for verdict in _VERDICTS}


def _limited(gap: float) -> float:
    return max(-_WIDEST, min(_WIDEST, gap))
