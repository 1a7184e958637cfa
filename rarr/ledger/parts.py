"""The parts of a sentence that can be checked, each at its place, and whether a passage confirms it."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.backends.rules.assertion import is_asserted
from rarr.backends.rules.claims import Claim, claims
from rarr.backends.rules.counterparts import ParsedPassage, parsed_passage
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.questions import askable_values
from rarr.backends.rules.short_answers import has_phrase
from rarr.backends.rules.subjects import is_about_something_else
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.backends.rules.words import Token
from rarr.ledger.answers import answer_place, sources_of, values_at
from rarr.ledger.confirmation import another_kind, says, stands_as, turned
from rarr.ledger.headers import under_other_headers
from rarr.ledger.misplacement import misplaced
from rarr.ledger.support import Support
from rarr.ledger.telling_words import Alike, telling_words
from rarr.records import Check, Evidence, Part, PartState, Query
from rarr.tools.text.document import Span

SURE = 0.8
"""From this support on a sentence is supported that has nothing to check but its subject."""
SPEAKS = 0.7
"""From this support on the words of a passage confirm a part; chosen on train/handwritten."""


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

    Only `evidence` confirms one: by a check, or by its words where it is sure to support the sentence or a
    check of it agreed on another part. `against` are the evidences that make the sentence contradicted.
    """
    said = parsed_sentence(one.span.of(text))
    claim = next((claim for claim in claims(text, context) if claim.span == one.span), None)
    found = []
    for span in _spans(text, claim, asked):
        held = values_at(said, span.moved(-one.span.start))
        place = _Place(span, span.of(text), held, said, claim)
        checks = [check for other in asked if other.place == span for check in other.checks]
        found.append((place, place.by_checks(checks, evidence, against)))
    for at, alike in _telling(claim):
        if not any(at.overlaps(place.span) for place, _ in found):
            place = _Place(at, at.of(text), [], said, claim, alike)
            found.append((place, place.part("open")))
    if claim is not None and claim.headers and not found:  # "yes": its headers alone say nothing
        whole = _Place(one.span, said.text.strip("*_"), [], said, claim)
        found.append((whole, whole.part("open")))
    found.sort(key=lambda pair: pair[0].span)
    agreeing = {part.evidence_id for _, part in found if part.state == "confirmed"}
    speaking = sorted(
        (name for name, support in one.by_evidence.items() if name in agreeing or (support or 0.0) >= SPEAKS),
        key=lambda name: (name not in agreeing, -(one.by_evidence[name] or 0.0)),
    )
    passages = [evidence[name] for name in speaking if name in evidence]
    parts = [place.by_words(passages) if part.state == "open" else part for place, part in found]
    return parts if (one.best or 0.0) >= SURE else _told(parts, evidence)


def asked_about(text: str, span: Span, query: Query, checks: Sequence[Check]) -> Iterator[Asked]:
    """Where the sentence at `span` says what a query asks for.

    A query about a whole sentence asks about the answers that the checks found in it.
    """
    place = Span(max(span.start, query.start), min(span.end, query.end))
    if place != span:
        yield Asked(place, tuple(checks))
        return
    said = parsed_sentence(span.of(text))
    for check in checks:
        found = answer_place(said, Span(-1, -1), check.text_answer)
        yield Asked(found.moved(span.start) if found else span, (check,))
    if not checks:
        yield Asked(span, ())


def is_converted(check: Check) -> bool:
    """Does it agree on a number for which the passage has another figure, as feet for metres?"""
    if check.verdict != "agrees":
        return False
    mine, its = (
        {value.read.amount for value in checkable_values(answer) if isinstance(value.read, Quantity)}
        for answer in (check.text_answer, check.evidence_answer)
    )
    return bool(mine and its) and mine.isdisjoint(its)


def _told(parts: list[Part], evidence: Mapping[str, Evidence]) -> list[Part]:
    """All of them, open where nothing but the names of pages confirms them.

    A page's title names what the page is about: where nothing else was confirmed, the passages need say
    nothing of the sentence but its subject.
    """
    confirmed = [part for part in parts if part.state == "confirmed"]
    if any(not _is_in_title(part, evidence.get(part.evidence_id)) for part in confirmed):
        return parts
    return [
        Part(start=part.start, end=part.end, state="open") if part.state == "confirmed" else part
        for part in parts
    ]


def _is_in_title(part: Part, one: Evidence | None) -> bool:
    named, titled = checkable_values(part.says), checkable_values(one.title) if one else ()
    return bool(named) and all(
        value.kind == "name" and any(same_value(value, other) for other in titled) for value in named
    )


def _spans(text: str, claim: Claim | None, asked: Sequence[Asked]) -> list[Span]:
    """What is asked about, without places that hold a smaller one, and the values that nothing asks about."""
    distinct = {one.place for one in asked}
    kept = [one for one in distinct if not any(_holds(one, other) for other in distinct)]
    for _, place in askable_values(text, claim) if claim is not None else ():
        if not any(place.overlaps(one) for one in kept):
            kept.append(place)
    return sorted(kept)


def _telling(claim: Claim | None) -> Iterator[tuple[Span, Alike]]:
    """The telling words of a claim, at their places in the text."""
    if claim is None:
        return
    for span, alike in telling_words(claim.sentence):
        if (at := claim.in_text(*span)) is not None:
            yield at, alike


def _holds(place: Span, other: Span) -> bool:
    """Is the other one a part of this?"""
    return place != other and place.start <= other.start and other.end <= place.end


class _Place(NamedTuple):
    """A place of a text, with its words and the values that they hold, units included.

    `sentence` is where it stands, and `claim` that with its subject put in, None where it is no claim.
    `alike` finds what tells the same in a sentence of a passage, where the words need not be the same.
    """

    span: Span
    words: str
    values: Sequence[Value]
    sentence: ParsedSentence
    claim: Claim | None
    alike: Alike | None = None

    def by_checks(
        self, checks: Sequence[Check], evidence: Mapping[str, Evidence], against: Sequence[str]
    ) -> Part:
        """Where it stands by the checks of what was found for it."""
        for check in checks:
            if check.verdict == "disagrees" and check.evidence_id in against:
                return self.part("differs", check.evidence_id, check.evidence_answer)
        for check in checks:
            known = evidence.get(check.evidence_id)
            if check.verdict == "agrees" and known and self._is_answered(check.evidence_answer, known):
                return self.part("confirmed", check.evidence_id, check.evidence_answer)
        return self.part("open")

    def by_words(self, passages: Sequence[Evidence]) -> Part:
        """Is it confirmed by the words of one of these passages?"""
        for one in passages:
            if words := self._literal(one):
                return self.part("confirmed", one.id, words)
        return self.part("open")

    def _is_answered(self, answer: str, evidence: Evidence) -> bool:
        """Does the answer of an agreeing check say it? An answer leaves out what stands beside it."""
        beside = parsed_passage(evidence.text, evidence.title)
        told = [
            said
            for value in checkable_values(answer)
            for said in [source.value for source in sources_of(value, beside.sentences)] or [value]
        ]
        return stands_as(self.values, told, beside) and not self._is_otherwise(beside)

    def _is_otherwise(self, beside: ParsedPassage) -> bool:
        """Is the passage about a thing of another kind, or does it say the values of other things?"""
        if self.claim is not None and another_kind(self.claim.sentence, beside):
            return True
        if self.claim is not None and under_other_headers(self.claim, self.words, self.values, beside):
            return True
        if any(misplaced(claim.sentence, value, beside) for claim, value in self._claimed()):
            return True
        return any(turned(self.sentence.text[: value.start], value, beside) for value in self.values)

    def _literal(self, evidence: Evidence) -> str:
        """The words of a passage about the same subject that say it; empty where none do."""
        beside = parsed_passage(evidence.text, evidence.title)
        elsewhere = any(is_about_something_else(claim, value, beside) for claim, value in self._claimed())
        if elsewhere or self._is_otherwise(beside):
            return ""
        if self.alike is not None:
            return self._told_alike(self.alike, beside)
        if not self.values:
            return self.words if has_phrase(f"{evidence.title}\n{evidence.text}", self.words) else ""
        context = {word.stem for word in self.sentence.content if not self._has(word)}
        told = [
            (value, part.text)
            for part, stems in zip(beside.sentences, beside.own_stems, strict=True)
            if not context or not context.isdisjoint(stems)
            for value in part.values
            if is_asserted(part.text, value.start)
        ]
        told += [(value, evidence.title) for value in beside.title_values]
        found = [
            next((value_extent(other).of(text) for other, text in told if says(other, value, beside)), "")
            for value in self.values
        ]
        return found[0] if all(found) else ""

    def _told_alike(self, alike: Alike, beside: ParsedPassage) -> str:
        """The word that tells the same in the sentence of the passage that says most of the claim."""
        context = {word.stem for word in self.sentence.content}
        told = [len(context & stems) for stems in beside.own_stems]
        for part, count in zip(beside.sentences, told, strict=True):
            if 0 < count == max(told) and (found := next(alike(part), None)):
                return found.of(part.text)
        return ""

    def _has(self, word: Token) -> bool:
        return any(value.start <= word.start < value_extent(value).end for value in self.values)

    def _claimed(self) -> Iterator[tuple[Claim, Value]]:
        """Its values as the claim has them, whose subject may have been put in."""
        if (claim := self.claim) is None:
            return
        for value in claim.sentence.values:
            place = claim.in_text(value.start, value.end)
            if place is not None and place.overlaps(self.span):
                yield claim, value

    def part(self, state: PartState, evidence_id: str = "", says: str = "") -> Part:
        """The place as a part of the sentence, in `state`."""
        return Part(start=self.span.start, end=self.span.end, state=state, evidence_id=evidence_id, says=says)
