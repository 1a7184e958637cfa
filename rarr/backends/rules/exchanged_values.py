"""Finds exchanged values: the text has a value where the evidence has another value of the same kind.

"12 euros for members and 18 for guests", "from Oslen to Tarn" and "Reed defeated Lunde" each have two values
of a kind, with different roles. A value of the text must not have the role that the evidence gives to the
other value.
"""

import re
from collections.abc import Sequence

from rarr.backends.rules.actions_between_parties import CLAUSE_END, action_between
from rarr.backends.rules.denied_claims import TOLD
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.values import Value, ValueKind, same_value, value_extent
from rarr.backends.rules.words import Token, folded_text
from rarr.tools.text.blocks_and_sentences import Span

_PREPOSITION = re.compile(
    r"\b(from|to|into|by|for|against|over|under|above|below|before|after|behind|until)\s+(?:the\s+)?$",
    re.IGNORECASE,
)
_DIRECTIONS = {
    "into", "onto", "out", "off", "up", "down", "inside", "outside",
    "upstream", "downstream", "towards", "away",
}  # fmt: skip
_BY = re.compile(r"\bby\b", re.IGNORECASE)


def exchange_reason(
    text: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value
) -> str:
    """Returns words that tell how `value` of the text has the role of another value; empty if it has not.

    `evidence_value` is the value of the evidence that equals `value`. The result names the word that shows
    the role, and the other value of the evidence.
    """
    exchange = _exchange(text, value, evidence, evidence_value)
    exchange = exchange or _exchanged_neighbour(text, value, evidence, evidence_value)
    if exchange is None:
        return ""
    shown, other = exchange
    return f"{shown!r} with {evidence.text[other.start : other.end]!r}"


def changed_places(text: ParsedSentence, value: Value, evidence: Sequence[ParsedSentence]) -> Value | None:
    """Finds the other value of the text that changed places with `value`; None if none did.

    The evidence has both values, each in the role that the text gives to the other: in one sentence, or in
    two rows of a table or list. For names the other words of their clauses do not count: names change places
    only by their preposition, their direction or their role in an action. Where another sentence has both as
    the text has them, as in a timetable for both ways, none did.
    """
    if _only_same(value, text.values) is not value:
        return None
    other = next(filter(None, (_changed_within(text, value, part) for part in evidence)), None)
    if other is not None and any(_has_kept_places(text, (value, other), part) for part in evidence):
        return None
    if other is None and value.kind != "name":
        other = _changed_rows(text, value, evidence)
    # Words such as "most" and "after" exclude other words, and not each other.
    is_apart = value.kind == "term" and other is not None and same_value(value, other) is None
    return None if is_apart else other


def _changed_within(text: ParsedSentence, value: Value, evidence: ParsedSentence) -> Value | None:
    evidence_value = _only_same(value, evidence.values)
    if evidence_value is None or (value.kind == "name" and is_other_voice(text, evidence)):
        return None
    by_label = value.kind != "name"
    exchange = _exchange(text, value, evidence, evidence_value, by_label=by_label)
    other = exchange and _only_same(exchange[1], text.values)
    if exchange is None or other is None or _only_same(other, evidence.values) is not exchange[1]:
        return None
    back = _exchange(text, other, evidence, exchange[1], by_label=by_label)
    return other if back is not None and back[1] is evidence_value else None


def _has_kept_places(text: ParsedSentence, values: Sequence[Value], part: ParsedSentence) -> bool:
    """Has the sentence the values and nearly all other words of the text, and no exchange of the values?"""
    if any(_only_same(value, part.values) is None or _changed_within(text, value, part) for value in values):
        return False
    stems = label_words(text, Span(0, len(text.text)), values[0].kind).keys()
    return len(stems & {word.stem for word in part.content}) >= TOLD * len(stems)


def _changed_rows(text: ParsedSentence, value: Value, evidence: Sequence[ParsedSentence]) -> Value | None:
    """Finds a value from another row, if the text puts both values beside words of the other's row."""
    row = _only_row(value, evidence)
    if row is None:
        return None
    for other in text.values:
        other_row = _only_row(other, evidence) if other.kind == value.kind and other is not value else None
        if other_row is None or other_row is row:
            continue
        stems, other_stems = ({word.stem for word in part.content} for part in (row, other_row))
        beside, other_beside = (
            label_words(text, clause_place(text, each), value.kind).keys() & (stems ^ other_stems)
            for each in (value, other)
        )
        if beside and other_beside and beside <= other_stems and other_beside <= stems:
            return other
    return None


def _only_row(value: Value, evidence: Sequence[ParsedSentence]) -> ParsedSentence | None:
    rows = [part for part in evidence if _only_same(value, part.values) is not None]
    return rows[0] if len(rows) == 1 else None


def _only_same(value: Value, values: Sequence[Value]) -> Value | None:
    """Returns the only one of `values` that equals `value`; None for none or several."""
    same = [other for other in values if other.kind == value.kind and same_value(value, other)]
    return same[0] if len(same) == 1 else None


def is_other_voice(text: ParsedSentence, evidence: ParsedSentence) -> bool:
    """Does only one of the two sentences have "by"? Then one may be passive, and roles differ by voice."""
    return bool(_BY.search(text.text)) != bool(_BY.search(evidence.text))


def _exchange(
    text: ParsedSentence,
    value: Value,
    evidence: ParsedSentence,
    evidence_value: Value,
    *,
    by_label: bool = True,
) -> tuple[str, Value] | None:
    """Finds a word that shows an exchange, and the evidence's value with the role of `value`; or None."""
    others = [
        candidate
        for candidate in evidence.values
        if candidate.kind == evidence_value.kind and not _overlap(candidate, evidence_value)
    ]
    for other in others:
        shown = (
            (by_label and _exchanged_label(text, value, evidence, evidence_value, other))
            or _exchanged_preposition(text, value, evidence, evidence_value, other)
            or _exchanged_direction(text, value, evidence, evidence_value, other)
            or _exchanged_role(text, value, evidence, evidence_value, other)
        )
        if shown:
            return shown, other
    return None


def _exchanged_label(
    text: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value, other: Value
) -> str:
    """Returns a word from the clause of the value that the evidence has only beside the other value."""
    own_clause, other_clause = clause_place(evidence, evidence_value), clause_place(evidence, other)
    if own_clause == other_clause:
        return ""
    text_labels = label_words(text, clause_place(text, value), value.kind)
    own_labels, other_labels = (
        label_words(evidence, place, value.kind) for place in (own_clause, other_clause)
    )
    if text_labels.keys() & (own_labels.keys() - other_labels.keys()):
        return ""
    shared = text_labels.keys() & (other_labels.keys() - own_labels.keys())
    return text_labels[min(shared)] if shared and own_labels.keys() - other_labels.keys() else ""


def _exchanged_neighbour(
    text: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value
) -> tuple[str, Value] | None:
    """Returns the word with meaning before the value, and the other value of the evidence behind that word.

    "It ends on 1 March" where the evidence says "it begins on 1 March and ends on 4 May". This is too little
    to put two values back.
    """
    in_text, own = _word_before(text, value), _word_before(evidence, evidence_value)
    if in_text is None or own is None or value.kind == "name":
        return None
    if in_text.stem in label_words(evidence, clause_place(evidence, evidence_value), evidence_value.kind):
        return None  # "Clocks: 620" where the evidence says "620 clocks"
    if own.stem in label_words(text, clause_place(text, value), value.kind):
        return None  # "Hay finished the mill in 1804" where the evidence says "finished it in 1804"
    for other in evidence.values:
        if other.kind != evidence_value.kind or _overlap(other, evidence_value):
            continue
        of_other = _word_before(evidence, other)
        if of_other is not None and of_other.stem == in_text.stem:
            return in_text.text, other
    return None


def _word_before(part: ParsedSentence, value: Value) -> Token | None:
    """Returns the nearest word with meaning before a value in its clause; None if a value holds it."""
    place = Span(clause_place(part, value).start, value.start)
    words = [word for word in part.content if place.start <= word.start and word.end <= place.end]
    inside = words and any(other.start <= words[-1].start < other.end for other in part.values)
    return None if not words or inside else words[-1]


def _exchanged_preposition(
    text: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value, other: Value
) -> str:
    """Returns the preposition before the value, if the evidence has it before the other value; else empty."""
    in_text, in_evidence, of_other = (
        _preposition(text, value),
        _preposition(evidence, evidence_value),
        _preposition(evidence, other),
    )
    return in_text if in_text and in_evidence and in_text != in_evidence and in_text == of_other else ""


def _exchanged_direction(
    text: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value, other: Value
) -> str:
    """Returns a word such as "into" beside the value that the evidence has only beside the other value."""
    is_alone = not any(v.kind == value.kind and not _overlap(v, value) for v in text.values)
    in_text = _directions(text, Span(0, len(text.text)) if is_alone else clause_place(text, value))
    own, of_other = (_directions(evidence, clause_place(evidence, v)) for v in (evidence_value, other))
    shared = (in_text & of_other) - own
    return min(shared) if shared and own - of_other and not in_text & own else ""


def _directions(part: ParsedSentence, place: Span) -> set[str]:
    return {
        folded_text(word.text) for word in part.words if place.start <= word.start < place.end
    } & _DIRECTIONS


def _exchanged_role(
    text: ParsedSentence, value: Value, evidence: ParsedSentence, evidence_value: Value, other: Value
) -> str:
    """Returns the verb, if the value acts in the text and is acted on in the evidence, or the other way."""
    evidence_action = action_between(evidence, evidence_value, other)
    if evidence_action is None:
        return ""
    for partner in text.values:
        if _overlap(partner, value) or partner.kind != value.kind:
            continue
        text_action = action_between(text, value, partner)
        if (
            text_action is not None
            and text_action.stem == evidence_action.stem
            and text_action.does != evidence_action.does
        ):
            return text_action.word
    return ""


def _preposition(part: ParsedSentence, value: Value) -> str:
    match = _PREPOSITION.search(part.text[: value.start])
    return folded_text(match[1]) if match else ""


def clause_place(part: ParsedSentence, value: Value) -> Span:
    """Returns the place from the punctuation or conjunction before a value to the next one after it."""
    place, start = value_extent(value), 0
    for match in CLAUSE_END.finditer(part.text):
        if match.end() <= place.start:
            start = match.end()
        elif match.start() >= place.end:
            return Span(start, match.start())
    return Span(start, len(part.text))


def label_words(part: ParsedSentence, place: Span, kind: ValueKind) -> dict[str, str]:
    """Returns the content words at a place, by their stems, without the words of values of `kind`."""
    taken = [value_extent(value) for value in part.values if value.kind == kind]
    return {
        word.stem: word.text
        for word in part.content
        if place.start <= word.start < place.end
        and not any(span.start <= word.start < span.end for span in taken)
    }


def _overlap(value: Value, other: Value) -> bool:
    return value.start < other.end and other.start < value.end
