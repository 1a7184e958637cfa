"""The parts of a sentence that can be checked, each at its place, and whether a passage confirms it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.backends.rules.answers import has_phrase
from rarr.backends.rules.claims import claims
from rarr.backends.rules.counterparts import passage
from rarr.backends.rules.questions import askable
from rarr.backends.rules.sentence import sentence
from rarr.backends.rules.values import Value, values
from rarr.ledger.answers import Source, answer_place, extent, gives, sources_of, values_at
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
    found = []
    for span in _spans(text, context, one.span, asked):
        place = _Place(span, span.of(text), values_at(said, span.moved(-one.span.start)))
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


def stands_as(said: Sequence[Value], told: Sequence[Value]) -> bool:
    """Do the values of a passage say all that these values of a text say?

    As exactly as the text has them: 1937 does not confirm a day of that year, nor half of a name the whole
    of it. A value that nothing of its kind stands beside is not compared.
    """
    for value in said:
        alike = [other for other in told if other.kind == value.kind]
        if alike and not any(gives(other, value, None) for other in alike):
            return False
    return True


def _spans(text: str, context: str | None, span: Span, asked: Sequence[Asked]) -> list[Span]:
    """What is asked about, without places that hold a smaller one, and the values that nothing asks about."""
    distinct = {one.place for one in asked}
    kept = [one for one in distinct if not any(_holds(one, other) for other in distinct)]
    own = next((claim for claim in claims(text, context) if claim.span == span), None)
    for _, place in askable(text, own) if own is not None else ():
        if not any(place.overlaps(one) for one in kept):
            kept.append(place)
    return sorted(kept)


def _holds(place: Span, other: Span) -> bool:
    """Is the other one a part of this?"""
    return place != other and place.start <= other.start and other.end <= place.end


class _Place(NamedTuple):
    """A place of a text, with its words and the values that they hold, units included."""

    span: Span
    words: str
    values: Sequence[Value]

    def confirmed_by(self, check: Check, evidence: Evidence) -> bool:
        """Does the answer of an agreeing check say it? An answer leaves out what stands beside it."""
        beside = passage(evidence.text, evidence.title)
        told = [
            source.value
            for value in values(check.evidence_answer)
            for source in sources_of(value, beside.sentences) or [Source(value, beside.sentences[0], 0)]
        ]
        return check.verdict == "agrees" and stands_as(self.values, told)

    def literal(self, evidence: Evidence) -> str:
        """The words of a passage that say it; empty where none do."""
        beside = passage(evidence.text, evidence.title)
        if not self.values:
            return self.words if has_phrase(f"{evidence.title}\n{evidence.text}", self.words) else ""
        told = [(value, part.text) for part in beside.sentences for value in part.values]
        told += [(value, evidence.title) for value in beside.title_values]
        found = [
            next((extent(it).of(text) for it, text in told if _is(it, value)), "") for value in self.values
        ]
        return found[0] if all(found) else ""


def _is(told: Value, said: Value) -> bool:
    return told.kind == said.kind and gives(told, said, None)


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
