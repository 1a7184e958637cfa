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
from rarr.backends.rules.swapped_roles import has_swapped_roles
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.backends.rules.words import Token
from rarr.ledger.answers import answer_place, answer_sources, values_at
from rarr.ledger.confirmation import confirms_value, confirms_values, is_another_kind, is_direction_reversed
from rarr.ledger.headers import under_other_headers
from rarr.ledger.misplacement import is_misplaced
from rarr.ledger.replaced_nouns import replaced_nouns
from rarr.ledger.support import Support
from rarr.ledger.telling_words import WordFinder, telling_words
from rarr.records import Check, Evidence, Part, PartState, Query
from rarr.tools.text.document import Span

SURE_SUPPORT = 0.8
"""The least support with which a sentence is supported that has nothing to check but its subject."""
CONFIRMING_SUPPORT = 0.7
"""The least support with which the words of a passage confirm a part; chosen on train/handwritten."""


class AskedPlace(NamedTuple):
    """A place of the text that a query asks about, with the checks of the query's evidence."""

    place: Span
    checks: tuple[Check, ...]


def sentence_parts(
    text: str,
    context: str | None,
    support: Support,
    asked: Sequence[AskedPlace],
    evidence: Mapping[str, Evidence],
    against: Sequence[str],
) -> list[Part]:
    """The parts of a sentence of `text` in order, with their states.

    Only `evidence` confirms a part: by a check, or by its words if it supports the sentence well or if one of
    its checks agreed on another part. `against` are the evidences that contradict the sentence.
    """
    parsed = parsed_sentence(support.span.of(text))
    claim = _claim_of(text, context, support)
    places = []
    for span in _checked_spans(text, claim, asked):
        held = values_at(parsed, span.moved(-support.span.start))
        place = _CheckedPlace(span, span.of(text), held, parsed, claim)
        checks = [check for other in asked if other.place == span for check in other.checks]
        places.append((place, place.by_checks(checks, evidence, against)))
    for at, alike in _telling_places(claim):
        if not any(at.overlaps(place.span) for place, _ in places):
            place = _CheckedPlace(at, at.of(text), [], parsed, claim, alike)
            places.append((place, place.part("open")))
    # The cell "yes" has nothing to check, but its headers alone confirm nothing.
    if claim is not None and claim.headers and not places:
        whole = _CheckedPlace(support.span, parsed.text.strip("*_"), [], parsed, claim)
        places.append((whole, whole.part("open")))
    places.sort(key=lambda pair: pair[0].span)
    agreeing = {part.evidence_id for _, part in places if part.state == "confirmed"}
    speaking = sorted(
        (
            name
            for name, score in support.by_evidence.items()
            if name in agreeing or (score or 0.0) >= CONFIRMING_SUPPORT
        ),
        key=lambda name: (name not in agreeing, -(support.by_evidence[name] or 0.0)),
    )
    passages = [evidence[name] for name in speaking if name in evidence]
    parts = [place.by_words(passages) if part.state == "open" else part for place, part in places]
    told = [evidence[name] for name in support.by_evidence if name in evidence]
    for noun in replaced_nouns(parsed, [parsed_passage(each.text, each.title) for each in told]):
        parts = _with_open(parts, noun.moved(support.span.start))
    return parts if (support.best or 0.0) >= SURE_SUPPORT else _without_title_matches(parts, evidence)


def told_in_swapped_roles(
    text: str, context: str | None, support: Support, evidence: Mapping[str, Evidence]
) -> list[str]:
    """The evidence that has the words of a sentence with two parts in each other's place."""
    claim = _claim_of(text, context, support)
    if claim is None:
        return []
    return [
        name
        for name in support.by_evidence
        if name in evidence
        and any(
            has_swapped_roles(claim.sentence, part)
            for part in parsed_passage(evidence[name].text, evidence[name].title).sentences
        )
    ]


def asked_places(text: str, span: Span, query: Query, checks: Sequence[Check]) -> Iterator[AskedPlace]:
    """The places of the sentence at `span` that a query asks about.

    For a query about the whole sentence, these are the answers of the text in the checks.
    """
    place = Span(max(span.start, query.start), min(span.end, query.end))
    if place != span:
        yield AskedPlace(place, tuple(checks))
        return
    parsed = parsed_sentence(span.of(text))
    for check in checks:
        answer = answer_place(parsed, Span(-1, -1), check.text_answer)
        yield AskedPlace(answer.moved(span.start) if answer else span, (check,))
    if not checks:
        yield AskedPlace(span, ())


def is_converted(check: Check) -> bool:
    """Does the check agree on a number that the passage gives in another unit, such as feet for metres?"""
    if check.verdict != "agrees":
        return False
    text_amounts, evidence_amounts = (
        {value.read.amount for value in checkable_values(answer) if isinstance(value.read, Quantity)}
        for answer in (check.text_answer, check.evidence_answer)
    )
    return bool(text_amounts and evidence_amounts) and text_amounts.isdisjoint(evidence_amounts)


def _claim_of(text: str, context: str | None, support: Support) -> Claim | None:
    return next((claim for claim in claims(text, context) if claim.span == support.span), None)


def _without_title_matches(parts: list[Part], evidence: Mapping[str, Evidence]) -> list[Part]:
    """The parts. If only names in the titles of passages are confirmed, these are open instead.

    A title names the subject of a page. If nothing else is confirmed, the page may say nothing about the
    sentence but its subject.
    """
    confirmed = [part for part in parts if part.state == "confirmed"]
    if any(not _is_in_title(part, evidence.get(part.evidence_id)) for part in confirmed):
        return parts
    return [
        Part(start=part.start, end=part.end, state="open") if part.state == "confirmed" else part
        for part in parts
    ]


def _is_in_title(part: Part, evidence: Evidence | None) -> bool:
    named, titled = checkable_values(part.says), checkable_values(evidence.title) if evidence else ()
    return bool(named) and all(
        value.kind == "name" and any(same_value(value, other) for other in titled) for value in named
    )


def _checked_spans(text: str, claim: Claim | None, asked: Sequence[AskedPlace]) -> list[Span]:
    """The places of queries, without those that contain another, and the other checkable values."""
    distinct = {other.place for other in asked}
    kept = [place for place in distinct if not any(_contains(place, other) for other in distinct)]
    for _, place in askable_values(text, claim) if claim is not None else ():
        if not any(place.overlaps(other) for other in kept):
            kept.append(place)
    return sorted(kept)


def _telling_places(claim: Claim | None) -> Iterator[tuple[Span, WordFinder]]:
    """The telling words of a claim, at their places in the text."""
    if claim is None:
        return
    for span, alike in telling_words(claim.sentence):
        if (at := claim.in_text(*span)) is not None:
            yield at, alike


def _with_open(parts: Sequence[Part], place: Span) -> list[Part]:
    """The parts, of which the one at `place` is open; a new part if there is none."""
    at_place = [part for part in parts if place.overlaps(Span(part.start, part.end))]
    span = Span(at_place[0].start, at_place[0].end) if at_place else place
    opened = Part(start=span.start, end=span.end, state="open")
    others = [part for part in parts if part not in at_place[:1]]
    return sorted([*others, opened], key=lambda part: part.start)


def _contains(place: Span, other: Span) -> bool:
    """Is the other place inside of this place?"""
    return place != other and place.start <= other.start and other.end <= place.end


class _CheckedPlace(NamedTuple):
    """A place of a text, with its words and their values, units included.

    `sentence` is the sentence of the place, and `claim` the same with its subject filled in; None for a
    sentence without a claim. `alike` finds a word of the same meaning in a sentence of a passage.
    """

    span: Span
    words: str
    values: Sequence[Value]
    sentence: ParsedSentence
    claim: Claim | None
    alike: WordFinder | None = None

    def by_checks(
        self, checks: Sequence[Check], evidence: Mapping[str, Evidence], against: Sequence[str]
    ) -> Part:
        """The part, with its state by the checks of the query's evidence."""
        for check in checks:
            if check.verdict == "disagrees" and check.evidence_id in against:
                return self.part("differs", check.evidence_id, check.evidence_answer)
        for check in checks:
            known = evidence.get(check.evidence_id)
            if check.verdict == "agrees" and known and self._is_answered(check.evidence_answer, known):
                return self.part("confirmed", check.evidence_id, check.evidence_answer)
        return self.part("open")

    def by_words(self, passages: Sequence[Evidence]) -> Part:
        """The part, confirmed by the words of the first passage that has them, else open."""
        for evidence in passages:
            if words := self._literal(evidence):
                return self.part("confirmed", evidence.id, words)
        return self.part("open")

    def _is_answered(self, answer: str, evidence: Evidence) -> bool:
        """Does the answer of an agreeing check confirm the place, read together with the passage?"""
        beside = parsed_passage(evidence.text, evidence.title)
        told = [
            stated
            for value in checkable_values(answer)
            for stated in [source.value for source in answer_sources(value, beside.sentences)] or [value]
        ]
        return confirms_values(self.values, told, beside) and not self._is_otherwise(beside)

    def _is_otherwise(self, beside: ParsedPassage) -> bool:
        """Is the passage about a thing of another kind, or does it have the values for other things?"""
        if self.claim is not None and is_another_kind(self.claim.sentence, beside):
            return True
        if self.claim is not None and under_other_headers(self.claim, self.words, self.values, beside):
            return True
        if any(is_misplaced(claim.sentence, value, beside) for claim, value in self._claimed()):
            return True
        return any(
            is_direction_reversed(self.sentence.text[: value.start], value, beside) for value in self.values
        )

    def _literal(self, evidence: Evidence) -> str:
        """The words of a passage about the same subject that confirm the place; empty where none do."""
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
        words = [
            next(
                (
                    value_extent(other).of(text)
                    for other, text in told
                    if confirms_value(other, value, beside)
                ),
                "",
            )
            for value in self.values
        ]
        return words[0] if all(words) else ""

    def _told_alike(self, alike: WordFinder, beside: ParsedPassage) -> str:
        """The word of the same meaning, in all sentences of the passage that are most like the claim."""
        context = {word.stem for word in self.sentence.content}
        told = [len(context & stems) for stems in beside.own_stems]
        most = [part for part, count in zip(beside.sentences, told, strict=True) if 0 < count == max(told)]
        places = [(part, next(alike(part), None)) for part in most]
        words = [place.of(part.text) for part, place in places if place is not None]
        return words[0] if words and len(words) == len(most) else ""

    def _has(self, word: Token) -> bool:
        return any(value.start <= word.start < value_extent(value).end for value in self.values)

    def _claimed(self) -> Iterator[tuple[Claim, Value]]:
        """The values of the place, as the claim has them."""
        if (claim := self.claim) is None:
            return
        for value in claim.sentence.values:
            place = claim.in_text(value.start, value.end)
            if place is not None and place.overlaps(self.span):
                yield claim, value

    def part(self, state: PartState, evidence_id: str = "", says: str = "") -> Part:
        """The place as a part of the sentence, in `state`."""
        return Part(
            start=self.span.start,
            end=self.span.end,
            state=state,
            evidence_id=evidence_id,
            says=says,
        )
