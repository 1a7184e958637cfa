"""Decides whether a check or the words of a passage confirm a place of a sentence, such as a number."""

from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from rarr.backends.rules.answer_grounding import phrase_place
from rarr.backends.rules.assertion_status import is_asserted
from rarr.backends.rules.counterparts import ParsedPassage, parsed_passage
from rarr.backends.rules.denied_claims import is_negated
from rarr.backends.rules.meaning_changing_words import WordFinder
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.standalone_claims import Claim
from rarr.backends.rules.subjects import is_about_something_else
from rarr.backends.rules.values import Value, checkable_values, value_extent
from rarr.backends.rules.words import Token
from rarr.ledger.answer_spans import answer_sources
from rarr.ledger.misattributed_values import is_misplaced
from rarr.ledger.unmentioned_cell_headers import under_other_headers
from rarr.ledger.value_confirmation import (
    confirms_value,
    confirms_values,
    is_another_kind,
    is_direction_reversed,
)
from rarr.records import Check, Evidence, Part, PartState
from rarr.tools.text.blocks_and_sentences import Span


class CheckablePlace(NamedTuple):
    """A place of a text that can be checked, with its words and the dates, numbers, names or terms in them.

    `sentence` is the sentence of the place, and `claim` the same with its subject filled in; None for a
    sentence without a claim. `alike` finds a word of the same meaning in a sentence of a passage.
    """

    span: Span
    words: str
    values: Sequence[Value]
    sentence: ParsedSentence
    claim: Claim | None
    alike: WordFinder | None = None

    @property
    def has_value(self) -> bool:
        """Has the place a number, a date or a name?"""
        return any(value.kind != "term" for value in self.values)

    def by_checks(
        self, checks: Sequence[Check], evidence: Mapping[str, Evidence], against: Sequence[str]
    ) -> Part:
        """Returns the place as a part, with the state that the checks of its query give it.

        `differs` if a check disagrees whose evidence is in `against`, the evidence that contradicts the
        sentence; else `confirmed` if a check agrees and its passage has the same values for it; else `open`.
        """
        for check in checks:
            if check.verdict == "disagrees" and check.evidence_id in against:
                return self.part("differs", check.evidence_id, check.evidence_answer)
        for check in checks:
            known = evidence.get(check.evidence_id)
            if check.verdict == "agrees" and known and self._is_answered(check.evidence_answer, known):
                return self.part("confirmed", check.evidence_id, check.evidence_answer)
        return self.part("open")

    def by_words(self, passages: Sequence[Evidence]) -> Part:
        """Returns the place as a part: confirmed by the first passage whose words confirm it, else `open`."""
        for evidence in passages:
            if words := self._literal(evidence):
                return self.part("confirmed", evidence.id, words)
        return self.part("open")

    def has_values_of(self, answer: str, evidence: Evidence) -> bool:
        """Has the answer the values of the place, read together with its passage?"""
        beside = parsed_passage(evidence.text, evidence.title)
        stated_values = [
            stated
            for value in checkable_values(answer)
            for stated in [source.value for source in answer_sources(value, beside.sentences)] or [value]
        ]
        return confirms_values(self.values, stated_values, beside)

    def _is_answered(self, answer: str, evidence: Evidence) -> bool:
        """Does the answer of an agreeing check confirm the place, read together with the passage?"""
        beside = parsed_passage(evidence.text, evidence.title)
        return self.has_values_of(answer, evidence) and not self._is_otherwise(beside)

    def _is_otherwise(self, beside: ParsedPassage) -> bool:
        """Does the passage have the values for something else?

        It is about a thing of another kind, or has them under other headers of a table, for another thing,
        or with "to" for "from".
        """
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
        """Returns the words of a passage about the same subject that confirm the place; empty if none do."""
        beside = parsed_passage(evidence.text, evidence.title)
        elsewhere = any(is_about_something_else(claim, value, beside) for claim, value in self._claimed())
        if elsewhere or self._is_otherwise(beside):
            return ""
        if self.alike is not None:
            return self._told_alike(self.alike, beside)
        if not self.values:
            return self.words if any(map(self._is_said, beside.sentences)) else ""
        context = {word.stem for word in self.sentence.content if not self._has(word)}
        stated_values = [
            (value, part.text)
            for part, stems in zip(beside.sentences, beside.own_stems, strict=True)
            if not context or not context.isdisjoint(stems)
            for value in part.values
            if is_asserted(part.text, value.start)
        ]
        stated_values += [(value, evidence.title) for value in beside.title_names]
        words = [
            next(
                (
                    value_extent(other).of(text)
                    for other, text in stated_values
                    if confirms_value(other, value, beside)
                ),
                "",
            )
            for value in self.values
        ]
        return words[0] if all(words) else ""

    def _is_said(self, part: ParsedSentence) -> bool:
        """Does a sentence of a passage state the words of the place, and neither deny nor doubt them?"""
        place = phrase_place(part.text, self.words)
        return place is not None and is_asserted(part.text, place.start) and not is_negated(part, place.start)

    def _told_alike(self, alike: WordFinder, beside: ParsedPassage) -> str:
        """Returns a word of the same meaning from the clauses of the passage that are most like the claim.

        These have most of the words behind the place in its clause, or else of all words of its clause; of
        equal ones, those in the sentences most like the claim. Empty if one of the clauses has no such word.
        """
        at = self.span.start - (self.claim.span.start if self.claim else 0)
        clause = [
            w for w in self.sentence.content if self.sentence.clause(w.start) == self.sentence.clause(at)
        ]
        behind = [word for word in clause if word.start > at] or clause or self.sentence.content
        scope, context = ({word.stem for word in words} for words in (behind, self.sentence.content))
        clauses = [
            ((len(scope & stems), len(context & own)), part, number)
            for part, own in zip(beside.sentences, beside.own_stems, strict=True)
            for number, stems in _clause_stems(part).items()
            if scope & stems
        ]
        most = max((shared for shared, _, _ in clauses), default=None)
        told = [_word_in(alike, part, number) for shared, part, number in clauses if shared == most]
        return told[0] if told and all(told) else ""

    def _has(self, word: Token) -> bool:
        return any(value.start <= word.start < value_extent(value).end for value in self.values)

    def _claimed(self) -> Iterator[tuple[Claim, Value]]:
        """Yields the claim with each of its values that overlaps the place; nothing without a claim."""
        if (claim := self.claim) is None:
            return
        for value in claim.sentence.values:
            place = claim.in_text(value.start, value.end)
            if place is not None and place.overlaps(self.span):
                yield claim, value

    def part(self, state: PartState, evidence_id: str = "", says: str = "") -> Part:
        """Builds the record of this place, in `state`; `says` are the words of the evidence."""
        return Part(
            start=self.span.start,
            end=self.span.end,
            state=state,
            evidence_id=evidence_id,
            says=says,
        )


def _clause_stems(part: ParsedSentence) -> dict[int, set[str]]:
    """Returns for each clause of a sentence, by its number, the stems of its words."""
    stems: dict[int, set[str]] = {}
    for word in part.content:
        stems.setdefault(part.clause(word.start), set()).add(word.stem)
    return stems


def _word_in(alike: WordFinder, part: ParsedSentence, clause: int) -> str:
    """Returns the first word that `alike` finds in a clause; empty for none."""
    places = (place for place in alike(part) if part.clause(place.start) == clause)
    return next((place.of(part.text) for place in places), "")
