"""Judges the wording of an edit: it must give the evidence's answer, in words of the text or the evidence.

The rules read the edit and the passage, and ask no model. They are the same for every editor.
"""

import re
from collections import Counter
from collections.abc import Iterator

from rarr.backends.rules.answer_grounding import has_phrase, is_stated
from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.denied_claims import is_negated
from rarr.backends.rules.exchanged_values import exchange_reason
from rarr.backends.rules.meaning_changing_words import telling_words
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence as read_sentence
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.backends.rules.whole_sentence_agreement import is_about_statement
from rarr.backends.rules.words import Token, folded_text, word_tokens
from rarr.ledger.answer_spans import (
    SpanSource,
    answer_place,
    answer_sources,
    computed_source,
    equals_answer,
    has_whole_name,
    values_at,
)
from rarr.records import Change, Check, Evidence, Query
from rarr.tools.text.blocks_and_sentences import Span

# Words that an edit may need for its grammar alone.
_GRAMMAR = frozenset(
    ("a", "an", "the", "is", "are", "was", "were", "has", "have", "had", "in", "on", "at", "of", "by")
)
_SIDES = frozenset(("before", "after", "until", "since", "till"))
_NUMERAL = re.compile(r"(?<![\w.,])[-−–+±~]?\d[\d.,:/]*")
_PUNCTUATION = frozenset(".,'’-–")


class Wording:
    """Judges the wording of an edit by the evidence: `refusal` says which rule the edit breaks first.

    `before` and `after` are the sentence without and with the edit. `place` is the place of the text's
    answer; None where it cannot be found. `replaced` is the place in `before` that the edit and the answer
    cover, and `written` the same place in `after`. `answers` are the dates, numbers, names and other values
    of the evidence's answer, each with the places where the evidence says it; empty for an answer without.
    """

    def __init__(
        self, text: str, sentence: Span, change: Change, query: Query, check: Check, evidence: Evidence
    ) -> None:
        start, end = change.start - sentence.start, change.end - sentence.start
        words, grown = sentence.of(text), len(change.new) - (end - start)
        self.before = read_sentence(words)
        self.after = read_sentence(words[:start] + change.new + words[end:])
        self.changed, self.new = Span(start, end), Span(start, start + len(change.new))
        self.text_answer, self.answer = check.text_answer, check.evidence_answer
        asked_about = Span(query.start - sentence.start, query.end - sentence.start)
        self.place = answer_place(self.before, asked_about, check.text_answer)
        place = self.place or self.changed
        self.replaced = Span(min(place.start, start), max(place.end, end))
        self.written = Span(self.replaced.start, self.replaced.end + grown)
        self.follows, self.restates = bool(query.follows), is_about_statement(query)
        self.evidence = parsed_passage(evidence.text, evidence.title).sentences
        self.known = f"{evidence.title}\n{evidence.text}\n{self.answer if self.follows else ''}"
        self.old = next(iter(values_at(self.before, self.place)), None) if self.place else None
        self.answers = [(value, self._sources(value)) for value in checkable_values(self.answer)]

    @property
    def compares(self) -> bool:
        """Can code compare the answers: has the evidence's answer a value, and the text's answer a place?

        If not, the checker has to agree with the edited text.
        """
        return bool(self.answers) and self.place is not None

    @property
    def is_reordering(self) -> bool:
        """Does the edit only put the same words in another order?"""
        before, after = (
            Counter(folded_text(word.text) for word in part.words) for part in (self.before, self.after)
        )
        return before == after and self.before.text != self.after.text

    def refusal(self) -> str:
        """Returns the reason of the first rule that refuses the edit; empty if none does."""
        rules = (
            self._unsaid_answer, self._another_place, self._another_answer, self._another_value,
            self._foreign_words, self._foreign_signs, self._lost_words, self._lost_telling_words,
            self._reversed, self._exchanged,
        )  # fmt: skip
        return next(filter(None, (rule() for rule in rules)), "")

    def _sources(self, value: Value) -> list[SpanSource]:
        """Finds where the evidence says a value. For a follow-up, this is the computed answer itself."""
        if self.follows:
            return [computed_source(value, read_sentence(self.answer), self.old)]
        return answer_sources(value, self.evidence)

    def _unsaid_answer(self) -> str:
        """Returns a reason to refuse if the evidence does not say the answer and it was not computed."""
        if self.follows or is_stated(self.answer, self.known):
            return ""
        if self.restates and has_phrase(self.known, self.answer):  # words such as "is not" state no value
            return ""
        return f"the evidence does not say {self.answer[:60]!r}"

    def _another_place(self) -> str:
        """Returns a reason to refuse if the edit does not touch the text's answer; else empty."""
        place, changed = self.place, self.changed
        if place is None or (changed.start <= place.end and place.start <= changed.end):
            return ""
        return f"the change does not replace the text's answer, {place.of(self.before.text)!r}"

    def _another_answer(self) -> str:
        """Returns a reason to refuse if the edit leaves out a value of the evidence's answer; else empty.

        Only values of the kind of the text's value are needed, or all if the answer has none of this kind.
        The words that decide about a whole sentence are no value.
        """
        if self.restates:
            return ""
        kind = self.old.kind if self.old else None
        wanted = [answer for answer in self.answers if answer[0].kind == kind] or self.answers
        written = self.written.of(self.after.text)
        refused = f"the text would say {written[:60]!r}, and the evidence says {self.answer[:60]!r}"
        if kind == "name" and all(value.kind != "name" for value, _ in wanted):
            return "" if has_whole_name(written, self.answer, self.old) else refused
        given = values_at(self.after, self.written)
        for value, sources in wanted:
            likely = [source.value for source in sources] or [value]
            if not any(equals_answer(held, other, self.old) for held in given for other in likely):
                return refused
        return ""

    def _another_value(self) -> str:
        """Returns a reason to refuse a value that is neither the evidence's answer nor in the replaced words.

        Also for a value of the answer that is written once too often. Empty if there is none.
        """
        if not self.compares:
            return ""
        kept = [
            value
            for value in values_at(self.before, self.replaced)
            if value is not self.old or self.is_reordering
        ]
        wanted = [s.value for value, sources in self.answers for s in sources] + [v for v, _ in self.answers]
        left = len(self.answers)  # each answer may stand once
        for value in values_at(self.after, self.written):
            words = value_extent(value).of(self.after.text)
            given = any(equals_answer(value, answer, self.old) for answer in wanted)
            left -= given
            if (given and left >= 0) or any(same_value(value, other) for other in kept):
                continue
            if given:
                return f"the change writes {words!r} once too often"
            if value.kind != "name" or not {*key_words(words)} <= {*key_words(self.answer)}:
                return f"the change brings in {words!r}, which is not the evidence's answer"
        return ""

    def _foreign_words(self) -> str:
        """Returns a reason to refuse a new word whose stem is neither in the evidence nor in the text.

        Words of grammar may be new. Beside a compared value, only words of the answer and of the replaced
        words are allowed.
        """
        if self.compares:
            allowed_words = [*word_tokens(self.answer), *word_tokens(self.replaced.of(self.before.text))]
        else:
            allowed_words = [*word_tokens(self.known), *self.before.words]
        known = {word.stem for word in allowed_words if word.stem}
        allowed = _GRAMMAR | {folded_text(word.text) for word in allowed_words}
        for word in self._new_words():
            if (word.stem not in known) if word.stem else (folded_text(word.text) not in allowed):
                return f"the change brings in {word.text!r}, a word of neither the evidence nor the text"
        return (self._repeated() or self._padding()) if self.compares else ""

    def _repeated(self) -> str:
        """Returns a reason to refuse a word that the answer and the replaced words have less often.

        Figures are not counted: "20,000,000" has two groups of zeros, and `_another_value` counts values.
        """
        answer, replaced, written = (
            Counter(folded_text(word.text) for word in word_tokens(text) if not word.text.isdecimal())
            for text in (self.answer, self.replaced.of(self.before.text), self.written.of(self.after.text))
        )
        repeated = [word for word in written if written[word] > max(answer[word], replaced[word], 1)]
        return f"the change repeats {repeated[0]!r}" if repeated else ""

    def _padding(self) -> str:
        """Returns a reason to refuse more new words of grammar than were taken out; one "the" may come in."""
        answer = {folded_text(word.text) for word in word_tokens(self.answer)}
        new = [word for word in self._new_words() if not word.stem and folded_text(word.text) not in answer]
        gone = [
            word
            for word in self.before.words
            if not word.stem and Span(word.start, word.end).overlaps(self.changed)
        ]
        article = bool(new) and folded_text(new[0].text) == "the" and new[0].start == self.new.start
        if len(new) > len(gone) + article:
            return f"the change brings in {new[-1].text!r}, which its value does not need"
        return ""

    def _foreign_signs(self) -> str:
        """Returns a reason to refuse signs and numerals that neither the text nor the evidence has."""
        written, had = self.written.of(self.after.text), self.replaced.of(self.before.text)
        known = f"{self.known}\n{self.before.text}"
        numerals = set() if self.answers else {*_NUMERAL.findall(written)} - {*_NUMERAL.findall(had)}
        signs = {c for c in written if not (c.isalnum() or c.isspace() or c in _PUNCTUATION or c in had)}
        compared = "".join(value_extent(v).of(self.after.text) for v in values_at(self.after, self.written))
        for sign in sorted(numerals - {*_NUMERAL.findall(known)}) + sorted(signs - {*known, *compared}):
            return f"the change brings in {sign!r}, which neither the evidence nor the text has"
        return ""

    def _lost_words(self) -> str:
        """Returns a reason to refuse the loss of a content word beside the answer, such as the subject."""
        stays = {word.stem for word in self.after.content}
        answer = {folded_text(word.text) for word in word_tokens(self.text_answer)}
        for word in self.before.content:
            place = Span(word.start, word.end)
            answered = self.place is not None and place.overlaps(self.place)
            if not place.overlaps(self.changed) or answered or folded_text(word.text) in answer:
                continue
            if word.stem not in stays:
                return f"the change takes out {word.text!r}, which the query does not ask about"
        return ""

    def _lost_telling_words(self) -> str:
        """Returns a reason to refuse the loss of "not", "may", "before" or the like beside the answer."""
        stays = {folded_text(word.text) for word in self.after.words}
        lost = [place for place, alike in telling_words(self.before) if next(alike(self.after), None) is None]
        sides = [word for word in self.before.words if folded_text(word.text) in _SIDES - stays]
        lost += [Span(word.start, word.end) for word in sides]
        for place in () if self.restates or self.follows else lost:
            answered = self.place is not None and place.overlaps(self.place)
            if place.overlaps(self.changed) and not answered:
                words = place.of(self.before.text)
                return f"the change takes out {words!r}, which the query does not ask about"
        return ""

    def _reversed(self) -> str:
        """Returns a reason to refuse if the text would deny what the evidence says, or say what it denies."""
        for value, sources in () if self.follows else self.answers:
            for written in values_at(self.after, self.written):
                if not sources or not same_value(written, sources[0].value):
                    continue
                denied = is_negated(self.after, written.start)
                if all(is_negated(source.sentence, source.start) != denied for source in sources):
                    words = self.answer[value.start : value.end]
                    return f"the text would {'deny' if denied else 'say'} {words!r}, unlike the evidence"
        return ""

    def _exchanged(self) -> str:
        """Returns a reason to refuse the evidence's value in the place of another value of the evidence."""
        for _, sources in () if self.follows else self.answers:
            for written in values_at(self.after, self.written):
                if not any(same_value(written, source.value) for source in sources):
                    continue
                shown = [_exchange_with(self.after, written, source) for source in sources]
                if all(shown):
                    words = value_extent(written).of(self.after.text)
                    return f"the change exchanges values: it says {words!r} where the evidence has {shown[0]}"
        return ""

    def _new_words(self) -> Iterator[Token]:
        """Yields the new words of the edit, except in dates, numbers and terms that code compares."""
        had = {folded_text(word.text) for word in word_tokens(self.replaced.of(self.before.text))}
        given = values_at(self.after, self.written) if self.compares else []
        compared = [
            value_extent(value) for value in given if value.kind != "name"
        ]  # any word may join a name
        for word in self.after.words:
            place = Span(word.start, word.end)
            inside = any(value.start <= place.start and place.end <= value.end for value in compared)
            if inside or not place.overlaps(self.new):
                continue
            if folded_text(word.text) not in had:
                yield word


def _exchange_with(after: ParsedSentence, written: Value, source: SpanSource) -> str:
    evidence_value = next(value for value in source.sentence.values if value.start == source.start)
    return exchange_reason(after, written, source.sentence, evidence_value)
