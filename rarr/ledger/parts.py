"""The parts of a sentence that can be checked, each at its place, and whether a passage confirms it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.backends.rules.answers import has_phrase
from rarr.backends.rules.claims import Claim, claims
from rarr.backends.rules.counterparts import passage
from rarr.backends.rules.questions import askable
from rarr.backends.rules.sentence import sentence
from rarr.backends.rules.subjects import about_something_else
from rarr.backends.rules.values import Value, same, values
from rarr.ledger.answers import answer_place, extent, sources_of, values_at
from rarr.ledger.confirmation import says, stands_as
from rarr.ledger.support import Support
from rarr.records import Check, Evidence, Part, PartState, Query
from rarr.tools.text.document import Span

SURE = 0.8
"""From this support on a passage that says the words of a part confirms it; of a sentence without parts,
it confirms the sentence."""


class Asked(NamedTuple):
    """A place of the text that a query asks about, with the checks of what was found for it."""

    place: Span
    checks: tuple[Check, ...]


def parts_of(
    text: str,
    context: str | None,
    one: Support,
    asked: Sequence[Asked],
    evidence: Mapping[str, Evidence],
    against: Sequence[str],
) -> list[Part]:
    """The parts of a sentence of `text` in order, with their states.

    `against` are the evidences that make the sentence contradicted; none where no dispute stands.
    """
    sure = [name for name, support in one.by_evidence.items() if (support or 0.0) >= SURE]
    sure.sort(key=lambda name: -(one.by_evidence[name] or 0.0))
    said = sentence(one.span.of(text))
    claim = next((claim for claim in claims(text, context) if claim.span == one.span), None)
    found = []
    for span in _spans(text, claim, asked):
        place = _Place(span, span.of(text), values_at(said, span.moved(-one.span.start)), claim)
        checks = [check for other in asked if other.place == span for check in other.checks]
        found.append(_part(place, checks, evidence, [evidence[name] for name in sure], against))
    return found


def asked_about(text: str, span: Span, query: Query, checks: Sequence[Check]) -> Iterator[Asked]:
    """Where the sentence at `span` says what a query asks for.

    A query about a whole sentence asks about the answers that the checks found in it.
    """
    place = Span(max(span.start, query.start), min(span.end, query.end))
    if place != span:
        yield Asked(place, tuple(checks))
        return
    said = sentence(span.of(text))
    for check in checks:
        found = answer_place(said, Span(-1, -1), check.text_answer)
        yield Asked(found.moved(span.start) if found else span, (check,))
    if not checks:
        yield Asked(span, ())


def enough(parts: Sequence[Part], evidence: Mapping[str, Evidence], threshold: float) -> float:
    """The support that a sentence needs whose parts are confirmed.

    A page's title names what the page is about: where nothing else was confirmed, the passages need say
    nothing of the sentence but its subject.
    """
    telling = [part for part in parts if not _is_in_title(part, evidence.get(part.evidence_id))]
    return threshold if telling else max(threshold, SURE)


def _is_in_title(part: Part, one: Evidence | None) -> bool:
    named, titled = values(part.says), values(one.title) if one else ()
    return bool(named) and all(
        value.kind == "name" and any(same(value, other) for other in titled) for value in named
    )


def _spans(text: str, claim: Claim | None, asked: Sequence[Asked]) -> list[Span]:
    """What is asked about, without places that hold a smaller one, and the values that nothing asks about."""
    distinct = {one.place for one in asked}
    kept = [one for one in distinct if not any(_holds(one, other) for other in distinct)]
    for _, place in askable(text, claim) if claim is not None else ():
        if not any(place.overlaps(one) for one in kept):
            kept.append(place)
    return sorted(kept)


def _holds(place: Span, other: Span) -> bool:
    """Is the other one a part of this?"""
    return place != other and place.start <= other.start and other.end <= place.end


class _Place(NamedTuple):
    """A place of a text, with its words and the values that they hold, units included.

    `claim` is the sentence that it is in, None for a sentence that is no claim.
    """

    span: Span
    words: str
    values: Sequence[Value]
    claim: Claim | None

    def confirmed_by(self, check: Check, evidence: Evidence) -> bool:
        """Does the answer of an agreeing check say it? An answer leaves out what stands beside it."""
        if check.verdict != "agrees":
            return False
        beside = passage(evidence.text, evidence.title)
        told = [
            said
            for value in values(check.evidence_answer)
            for said in [source.value for source in sources_of(value, beside.sentences)] or [value]
        ]
        return stands_as(self.values, told, beside)

    def literal(self, evidence: Evidence) -> str:
        """The words of a passage about the same subject that say it; empty where none do."""
        beside = passage(evidence.text, evidence.title)
        if any(about_something_else(claim, value, beside) for claim, value in self._claimed()):
            return ""
        if not self.values:
            return self.words if has_phrase(f"{evidence.title}\n{evidence.text}", self.words) else ""
        told = [(value, part.text) for part in beside.sentences for value in part.values]
        told += [(value, evidence.title) for value in beside.title_values]
        found = [
            next((extent(other).of(text) for other, text in told if says(other, value, beside)), "")
            for value in self.values
        ]
        return found[0] if all(found) else ""

    def _claimed(self) -> Iterator[tuple[Claim, Value]]:
        """Its values as the claim has them, whose subject may have been put in."""
        for value in self.claim.sentence.values if self.claim else ():
            place = self.claim.in_text(value.start, value.end) if self.claim else None
            if self.claim and place is not None and place.overlaps(self.span):
                yield self.claim, value


def _part(
    place: _Place,
    checks: Sequence[Check],
    evidence: Mapping[str, Evidence],
    sure: Sequence[Evidence],
    against: Sequence[str],
) -> Part:
    for check in checks:
        if check.verdict == "disagrees" and check.evidence_id in against:
            return _standing(place.span, "differs", check.evidence_id, check.evidence_answer)
    for check in checks:
        if place.confirmed_by(check, evidence[check.evidence_id]):
            return _standing(place.span, "confirmed", check.evidence_id, check.evidence_answer)
    for one in sure:
        if words := place.literal(one):
            return _standing(place.span, "confirmed", one.id, words)
    return _standing(place.span, "open")


def _standing(place: Span, state: PartState, evidence_id: str = "", says: str = "") -> Part:
    return Part(start=place.start, end=place.end, state=state, evidence_id=evidence_id, says=says)
