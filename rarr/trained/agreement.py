"""Trained agreement: the encoder points at what the passage says in a value's place, the rules compare.

A cloze reader (Glass et al. 2020) binds values to their roles; whether two values differ is for the rules to
say, and so is whether the passage is about the claim's subject. Both together are calibrated: it would rather
abstain than contradict wrongly.
"""

from collections.abc import Mapping

from rarr.embedded.agreement import ELSEWHERE, asked_for, compare
from rarr.embedded.claims import Claim
from rarr.embedded.reading import passage, read as read_by_rules
from rarr.embedded.subjects import about_something_else
from rarr.embedded.values import Value, same, values
from rarr.encoder.model import Encoder
from rarr.records import Agreement, Evidence, Query, Verdict
from rarr.tools.worker import infer
from rarr.trained.reading import NEVER, Found, Other, Read, read


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
    if asked is None:
        return Agreement(verdict="unknown", reason="the query asks for no single value of the text")
    claim, value = asked
    place = claim.in_text(value.start, value.end)
    seen = read(encoder, text, context, claim.span, evidence.title, evidence.text)
    found = seen.at(place) if place is not None else None
    if found is None:
        return Agreement(verdict="unknown", reason="the value has no place in the text")
    return decided(encoder, claim, value, seen, found, evidence)


def decided(
    encoder: Encoder, claim: Claim, value: Value, seen: Read, found: Found, evidence: Evidence
) -> Agreement:
    """The verdict of a calibrated decision over what the encoder read and what the rules say."""
    said = claim.sentence.text[value.start : value.end]
    by_passage = passage(evidence.text, evidence.title)
    rules = compare(claim, value, read_by_rules(claim.sentence, value, by_passage, claim.about), by_passage)
    if about_something_else(claim, value, by_passage):
        return rules
    other = differing(value, found)
    told = features(seen, found, other, rules)
    fitted = encoder.calibration
    if other.said and fitted.disagrees.holds(told):
        return Agreement(
            verdict="disagrees",
            text_answer=said,
            evidence_answer=other.said,
            reason=f"the evidence has {other.said!r} where the text has {said!r}",
            confidence=fitted.disagrees.probability(told),
        )
    if fitted.agrees.holds(told):
        return Agreement(
            verdict="agrees",
            text_answer=said,
            evidence_answer=said,
            reason="the evidence says the same",
            confidence=fitted.agrees.probability(told),
        )
    if found.own <= NEVER and found.nowhere > other.log:
        return Agreement(
            verdict="irrelevant",
            text_answer=said,
            reason="the evidence does not say it",
            confidence=ELSEWHERE,
        )
    return Agreement(verdict="unknown", text_answer=said, reason="no value stands clearly in the same place")


def differing(value: Value, found: Found) -> Other:
    """The most probable other value that the rules can tell from the claim's; an empty one for none."""
    for other in found.others:
        if value.kind == "name":
            return other
        read_there = [one for one in values(other.said) if one.kind == value.kind]
        if read_there and same(value, read_there[0]) is False:
            return other
    return Other("", NEVER)


def features(seen: Read, found: Found, other: Other, rules: Agreement) -> Mapping[str, float]:
    """What the decisions are fitted on, by name."""
    judged = seen.judged
    verdicts: tuple[Verdict, ...] = ("agrees", "disagrees", "irrelevant")
    return {
        "other_over_own": _limited(other.log - found.own),
        "other_over_nowhere": _limited(other.log - found.nowhere),
        "own_over_nowhere": _limited(found.own - found.nowhere),
        "unsaid": float(found.own <= NEVER),
        "other": max(other.log, -10.0),
        "lead": _limited(other.log - next((o.log for o in found.others if o is not other), NEVER)),
        "wrong": found.wrong,
        "attributable": judged.attributable,
        "contradictory": judged.contradictory,
        "same_answer": float(rules.verdict == "disagrees" and rules.evidence_answer.endswith(other.said)),
    } | {f"rules_{verdict}": float(rules.verdict == verdict) for verdict in verdicts}


def _limited(gap: float) -> float:
    return max(-10.0, min(10.0, gap))
