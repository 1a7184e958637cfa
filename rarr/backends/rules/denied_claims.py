"""Finds denial: the evidence tells the same as the claim, but denies it, reverses it or has another value."""

import re
from collections.abc import Iterator, Sequence, Set

from rarr.backends.rules.assertion_status import doubt_spans
from rarr.backends.rules.opposite_words import opposite_words
from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.quantities import Quantity
from rarr.backends.rules.swapped_roles import has_swapped_roles
from rarr.backends.rules.values import Value, same_value, value_extent
from rarr.backends.rules.words import Token
from rarr.tools.text.blocks_and_sentences import Span

TOLD = 0.8  # a sentence tells the same if it has this share of the claim's words with meaning
SCOPE = 2  # a negator denies this many words with meaning behind it
_NEGATOR = re.compile(
    r"(?:not|non|no|never|hardly|scarcely|without|neither|nor|none|nobody|nothing|cannot|\w+n['’]t"
    r"|fail|fails|failed|lack|lacks|lacked|lacking|except)$",
    re.IGNORECASE,
)
# Phrases that deny the words behind them, such as "far from 221 metres".
_PHRASES = (
    r"\b(?:far\s+(?:from|below|above|short\s+of)|anything\s+but|nowhere\s+(?:near|close\s+to)"
    r"|rather\s+than|instead\s+of|(?<!no\s)(?<!none\s)other\s+than|as\s+opposed\s+to|by\s+no\s+means|in\s+no\s+way|no\s+longer)\b"
)
_PHRASE = re.compile(_PHRASES, re.IGNORECASE)
# Phrases that deny any words behind them. "Far from Tarn" may be a distance.
_NEGATING_PHRASE = re.compile(
    r"\b(?:rather\s+than|instead\s+of|as\s+opposed\s+to|(?:ha(?:s|ve|d)|is|are|was|were)\s+yet\s+to)\b",
    re.IGNORECASE,
)
_BEFORE_VALUE = re.compile(rf"{_PHRASES}\s+(?:[\w'’-]+\s+){{0,3}}$", re.IGNORECASE)
_REACH = 60  # characters before a value that are searched for a denying phrase
# Negators that deny a value behind them. "Failed" and "without" are not among them: the value may be right.
_DENIES_VALUE = re.compile(r"(?:not|no|never|hardly|scarcely|neither|nor|cannot|\w+n['’]t)$", re.IGNORECASE)
# "Not only" and "no fewer than" deny nothing, "not until 1950" says when, "No. 5" is a number.
_DENIES_NOTHING = re.compile(
    r"not\s+(?:only|just|merely)\b | (?:not|\w+n['’]t)\b[^,;]*\suntil\b"
    r"| no(?:ne)?\s+(?:fewer|less|more|later|earlier|other)\s+than\b | no\.\s",
    re.IGNORECASE | re.VERBOSE,
)

_MONEY = {"€", "£", "$", "¥"}
_DAYS = {"second": 1 / 86400, "day": 1.0, "year": 365.25}


def is_denied(
    claim: ParsedSentence, evidence: Sequence[ParsedSentence], title: Set[str] = frozenset()
) -> bool:
    """Do the sentences that tell most of the claim deny it, reverse it or give another value?

    `title` are the stems of the title of the evidence. A sentence need not repeat them. False if no sentence
    has at least 80% of the claim's words with meaning.
    """
    phrases = [match.span() for match in _PHRASE.finditer(claim.text)]
    words = [w for w in claim.content if not any(start <= w.start < end for start, end in phrases)]
    stems = {word.stem for word in words if not _NEGATOR.match(word.text)} - _measured(claim)
    counts = [_told(claim, stems, sentence, title) for sentence in evidence]
    most = max((count for count, _ in counts), default=0)
    return most >= max(1.0, TOLD * len(stems)) and all(turned for count, turned in counts if count == most)


def _told(
    claim: ParsedSentence, stems: Set[str], sentence: ParsedSentence, title: Set[str]
) -> tuple[int, bool]:
    """Counts the `stems` that a sentence has, and decides whether the sentence contradicts the claim.

    A stem counts also where the sentence has an opposite of the word, and if `title` has it and the sentence
    another. A sentence with far less than `TOLD` of the stems contradicts nothing.
    """
    sentence_stems = {word.stem for word in sentence.content}
    shared = stems & sentence_stems
    known = len(stems & title - sentence_stems) if shared else 0
    if len(shared) + known < TOLD * len(stems) - 1:  # an opposite may tell one more stem
        return len(shared) + known, False
    claim_denials, sentence_denials = set(_denied(claim)), set(_denied(sentence))
    pairs = list(opposite_words(claim, sentence))
    count = len(shared | {word.stem for word, _ in pairs} & stems) + known
    if has_swapped_roles(claim, sentence) or _has_another(claim, sentence) or _denies_value(claim, sentence):
        return count, True
    if pairs:  # "not safe" says what "contraindicated" says
        return count, any(
            (word.stem in claim_denials) == (other.stem in sentence_denials) for word, other in pairs
        )
    return count, not shared.isdisjoint(claim_denials ^ sentence_denials)


def is_negated(part: ParsedSentence, place: int) -> bool:
    """Does a word such as "not" or "never" stand closely before `place`, in the same clause?"""
    if _BEFORE_VALUE.search(part.text, max(0, place - _REACH), place):
        return True
    clause = part.clause(place)
    between = 0
    for word in reversed([word for word in part.words if word.end <= place]):
        if part.clause(word.start) != clause or between > SCOPE:
            return False
        if _DENIES_VALUE.match(word.text) or (word.text.lower() == "without" and not between):
            nothing = _DENIES_NOTHING.match(part.text, word.start)
            return nothing is None or nothing.end() > place
        between += bool(word.stem)
    return False


def negator_spans(part: ParsedSentence) -> Iterator[Span]:
    """Yields the places of words that deny or doubt something, such as "not"."""
    for word in part.words:
        if _NEGATOR.match(word.text) and not _DENIES_NOTHING.match(part.text, word.start):
            yield Span(word.start, word.end)
    yield from doubt_spans(part.text)


def _denies_value(claim: ParsedSentence, sentence: ParsedSentence) -> bool:
    """Do the two sentences share a number or date that only one of them denies?"""
    pairs = [
        (value, other)
        for value in claim.values
        for other in sentence.values
        if value.kind in ("number", "date") and same_value(value, other)
    ]
    return any(
        is_negated(claim, value.start) != is_negated(sentence, other.start)
        for value, other in pairs
        if not any(
            is_negated(claim, v.start) == is_negated(sentence, o.start) for v, o in pairs if v is value
        )
    )


def _has_another(claim: ParsedSentence, sentence: ParsedSentence) -> bool:
    """Does the sentence lack a number or date of the claim, and have one that the claim lacks?"""
    claim_values, sentence_values = (
        [v for v in part.values if v.kind in ("number", "date")] for part in (claim, sentence)
    )
    return any(_replaced(value, sentence_values) for value in claim_values) and any(
        _replaced(value, claim_values) for value in sentence_values
    )


def _replaced(value: Value, others: Sequence[Value]) -> bool:
    """Do `others` hold values of the same kind, but none with the same meaning?"""
    comparisons = [same_value(value, other) if value.kind == other.kind else None for other in others]
    if True in comparisons:
        return False
    return False in comparisons or any(_is_otherwise(value.read, other.read) for other in others)


def _is_otherwise(first: object, second: object) -> bool:
    """Are these different durations, or amounts of money in different currencies?

    `same_value` does not convert hours to days.
    """
    if not (isinstance(first, Quantity) and isinstance(second, Quantity)) or first.unit == second.unit:
        return False
    if first.unit in _MONEY and second.unit in _MONEY:
        return True
    days = [_DAYS[number.unit] * number.amount for number in (first, second) if number.unit in _DAYS]
    return len(days) == 2 and max(days) > 1.1 * min(days)


def _measured(part: ParsedSentence) -> set[str]:
    """Returns the stems of the words in numbers, in their units and in dates."""
    taken = [value_extent(value) for value in part.values if value.kind in ("number", "date")]
    return {word.stem for word in part.content if any(span.start <= word.start < span.end for span in taken)}


def denials(part: ParsedSentence) -> Iterator[tuple[Span, list[Token]]]:
    """Yields each negator, such as "not" or "yet to", with the first two words with meaning behind it.

    These are in its clause. None for "not only" and the like.
    """
    for negator in _negators(part):
        clause = part.clause(negator.start)
        behind = [
            word for word in part.content if word.start > negator.end and part.clause(word.start) == clause
        ]
        yield negator, behind[:SCOPE]


def _negators(part: ParsedSentence) -> Iterator[Span]:
    for word in part.words:
        if _NEGATOR.match(word.text) and not _DENIES_NOTHING.match(part.text, word.start):
            yield Span(word.start, word.end)
    yield from (Span(*match.span()) for match in _NEGATING_PHRASE.finditer(part.text))


def _denied(part: ParsedSentence) -> Iterator[str]:
    """Yields the stems of the words that are denied."""
    return (word.stem for _, behind in denials(part) for word in behind)
