"""What an edit says: does the text then give the evidence's answer, in words that text or evidence have?

The rules read the edit and the passage, and ask no model. They hold for every editor alike.
"""

import re
from collections import Counter
from collections.abc import Iterator

from rarr.backends.rules.counterparts import parsed_passage
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.negation import is_negated
from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence as read_sentence
from rarr.backends.rules.short_answers import is_stated
from rarr.backends.rules.values import Value, checkable_values, same_value, value_extent
from rarr.backends.rules.words import Token, folded_text, word_tokens
from rarr.ledger.answers import (
    Source,
    answer_place,
    gives,
    gives_name,
    reckoned,
    sources_of,
    values_at,
)
from rarr.ledger.exchanges import exchanged
from rarr.records import Change, Check, Evidence, Query
from rarr.tools.text.document import Span

# Words that an edit may need for its grammar alone.
_GRAMMAR = frozenset(
    ("a", "an", "the", "is", "are", "was", "were", "has", "have", "had", "in", "on", "at", "of", "by")
)
_NUMERAL = re.compile(r"(?<![\w.,])[-−–+±~]?\d[\d.,:/]*")
_PUNCTUATION = frozenset(".,'’-–")


class Wording:
    """An edit, read: its sentence before and after, what it replaces, and what it writes there.

    `place` is where the text gave its answer, None where that cannot be told. `replaced` is all that the
    edit and the answer cover, in `before`; `written` is what stands there in `after`. `answers` are the
    values of the evidence's answer, each with where the evidence says it; none where it is no value.
    """

    def __init__(
        self, text: str, sentence: Span, change: Change, query: Query, check: Check, evidence: Evidence
    ) -> None:
        start, end = change.start - sentence.start, change.end - sentence.start
        said, grown = sentence.of(text), len(change.new) - (end - start)
        self.before = read_sentence(said)
        self.after = read_sentence(said[:start] + change.new + said[end:])
        self.changed, self.new = Span(start, end), Span(start, start + len(change.new))
        self.text_answer, self.answer = check.text_answer, check.evidence_answer
        asked_about = Span(query.start - sentence.start, query.end - sentence.start)
        self.place = answer_place(self.before, asked_about, check.text_answer)
        place = self.place or self.changed
        self.replaced = Span(min(place.start, start), max(place.end, end))
        self.written = Span(self.replaced.start, self.replaced.end + grown)
        self.follows = bool(query.follows)
        self.evidence = parsed_passage(evidence.text, evidence.title).sentences
        self.known = f"{evidence.title}\n{evidence.text}\n{self.answer if self.follows else ''}"
        self.old = next(iter(values_at(self.before, self.place)), None) if self.place else None
        self.answers = [(value, self._sources(value)) for value in checkable_values(self.answer)]

    @property
    def compares(self) -> bool:
        """Is the evidence's answer a value, which code compares? Else the checker has to be asked again."""
        return bool(self.answers) and self.place is not None

    def refusal(self) -> str:
        """Why the edit must not be made, by the first rule that refuses it; empty where none does."""
        rules = (
            self._unsaid_answer, self._another_place, self._another_answer, self._another_value,
            self._foreign_words, self._foreign_signs, self._lost_words, self._reversed,
            self._exchanged,
        )  # fmt: skip
        return next(filter(None, (rule() for rule in rules)), "")

    def _sources(self, value: Value) -> list[Source]:
        """A follow-up reckons its answer: the evidence need not say it."""
        if self.follows:
            return [reckoned(value, read_sentence(self.answer), self.old)]
        return sources_of(value, self.evidence)

    def _unsaid_answer(self) -> str:
        """What follows from another edit is reckoned; every other answer stands in the evidence."""
        if self.follows or is_stated(self.answer, self.known):
            return ""
        return f"the evidence does not say {self.answer[:60]!r}"

    def _another_place(self) -> str:
        """The edit has to touch the text's answer."""
        place, changed = self.place, self.changed
        if place is None or (changed.start <= place.end and place.start <= changed.end):
            return ""
        return f"the change does not replace the text's answer, {place.of(self.before.text)!r}"

    def _another_answer(self) -> str:
        """Of the kind of the text's answer, all values of the evidence's answer have to stand there."""
        kind = self.old.kind if self.old else None
        wanted = [one for one in self.answers if one[0].kind == kind] or self.answers
        written = self.written.of(self.after.text)
        refused = f"the text would say {written[:60]!r}, and the evidence says {self.answer[:60]!r}"
        if kind == "name" and all(value.kind != "name" for value, _ in wanted):
            return "" if gives_name(written, self.answer, self.old) else refused
        given = values_at(self.after, self.written)
        for value, sources in wanted:
            likely = [source.value for source in sources] or [value]
            if not any(gives(one, other, self.old) for one in given for other in likely):
                return refused
        return ""

    def _another_value(self) -> str:
        """Refuses a value that is neither in the evidence's answer nor stood there before."""
        if not self.compares:
            return ""
        kept = [value for value in values_at(self.before, self.replaced) if value is not self.old]
        wanted = [s.value for value, sources in self.answers for s in sources] + [v for v, _ in self.answers]
        left = len(self.answers)  # each of them is said once
        for value in values_at(self.after, self.written):
            said = value_extent(value).of(self.after.text)
            given = any(gives(value, one, self.old) for one in wanted)
            left -= given
            if (given and left >= 0) or any(same_value(value, one) for one in kept):
                continue
            if given or value.kind != "name" or not {*key_words(said)} <= {*key_words(self.answer)}:
                return f"the change brings in {said!r}, which is not the evidence's answer"
        return ""

    def _foreign_words(self) -> str:
        """Each new word is the evidence's, the text's, an inflection of one, or one that grammar needs.

        Beside a value that was compared there is room for what stood there and for the answer alone.
        """
        if self.compares:
            told = [*word_tokens(self.answer), *word_tokens(self.replaced.of(self.before.text))]
        else:
            told = [*word_tokens(self.known), *self.before.words]
        known = {word.stem for word in told if word.stem}
        allowed = _GRAMMAR | {folded_text(word.text) for word in told}
        for word in self._new_words():
            if (word.stem not in known) if word.stem else (folded_text(word.text) not in allowed):
                return f"the change brings in {word.text!r}, a word of neither the evidence nor the text"
        return (self._repeated() or self._padding()) if self.compares else ""

    def _repeated(self) -> str:
        """Refuses a word that stands there more often than in the evidence and in what it replaces.

        Figures are not counted: "20,000,000" has two groups of zeros, and `_another_value` counts values.
        """
        answer, replaced, written = (
            Counter(folded_text(word.text) for word in word_tokens(text) if not word.text.isdecimal())
            for text in (self.answer, self.replaced.of(self.before.text), self.written.of(self.after.text))
        )
        repeated = [word for word in written if written[word] > max(answer[word], replaced[word], 1)]
        return f"the change repeats {repeated[0]!r}" if repeated else ""

    def _padding(self) -> str:
        """Beside a value, a word of grammar takes the place of another, or is an article before the value."""
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
        """Refuses signs and numerals that neither the text nor the evidence has."""
        written, had = self.written.of(self.after.text), self.replaced.of(self.before.text)
        known = f"{self.known}\n{self.before.text}"
        numerals = set() if self.answers else {*_NUMERAL.findall(written)} - {*_NUMERAL.findall(had)}
        signs = {c for c in written if not (c.isalnum() or c.isspace() or c in _PUNCTUATION or c in had)}
        compared = "".join(value_extent(v).of(self.after.text) for v in values_at(self.after, self.written))
        for sign in sorted(numerals - {*_NUMERAL.findall(known)}) + sorted(signs - {*known, *compared}):
            return f"the change brings in {sign!r}, which neither the evidence nor the text has"
        return ""

    def _lost_words(self) -> str:
        """Beside the text's answer no word with meaning goes: above all, the subject stays."""
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

    def _reversed(self) -> str:
        """The text must neither deny what the evidence says nor say what it denies."""
        for value, sources in () if self.follows else self.answers:
            for written in values_at(self.after, self.written):
                if not sources or not same_value(written, sources[0].value):
                    continue
                denied = is_negated(self.after, written.start)
                if all(is_negated(source.sentence, source.start) != denied for source in sources):
                    said = self.answer[value.start : value.end]
                    return f"the text would {'deny' if denied else 'say'} {said!r}, other than the evidence"
        return ""

    def _exchanged(self) -> str:
        """The evidence's value must not stand where the evidence has another value of its kind."""
        for _, sources in () if self.follows else self.answers:
            for written in values_at(self.after, self.written):
                if not any(same_value(written, source.value) for source in sources):
                    continue
                shown = [_exchange(self.after, written, source) for source in sources]
                if all(shown):
                    said = value_extent(written).of(self.after.text)
                    return f"the change exchanges values: it says {said!r} where the evidence has {shown[0]}"
        return ""

    def _new_words(self) -> Iterator[Token]:
        """The words that the edit writes, without those of values that were compared."""
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


def _exchange(after: ParsedSentence, written: Value, source: Source) -> str:
    said = next(one for one in source.sentence.values if one.start == source.start)
    return exchanged(after, written, source.sentence, said)
