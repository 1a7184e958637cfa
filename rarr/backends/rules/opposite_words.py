"""Finds opposites: words of the claim that the evidence replaces by words of opposite meaning."""

import re
from bisect import bisect_left, bisect_right
from collections import defaultdict
from collections.abc import Iterable, Iterator
from functools import cache, lru_cache

from rarr.backends.rules.parsed_sentence import ParsedSentence, parsed_sentence
from rarr.backends.rules.word_list_reader import word_list
from rarr.backends.rules.words import Token, stem

_PREFIXES = ("un", "non", "in", "im", "il", "ir", "dis")
_SHORTEST = 5  # letters behind a prefix: "import" is no opposite of "port"
_TWINS = (
    ("hyper", "hypo"),
    ("intra", "extra"),
    ("micro", "macro"),
    ("pre", "post"),
    ("up", "down"),
    ("over", "under"),
    ("in", "out"),
)
_AT_LEAST = re.compile(r"\bno\s+(?:fewer|less|more)\s+than\b", re.IGNORECASE)


def opposite_words(claim: ParsedSentence, evidence: ParsedSentence) -> Iterator[tuple[Token, Token]]:
    """Yields the words of the claim that the evidence replaces by an opposite, each with its opposite.

    The two words stand beside the same word. "More than 20 looms" has an opposite in "less than 20 looms",
    but not in "in less than a year".
    """
    evidence_words = _words_with_neighbours(evidence.text)
    for claim_word, beside in _words_with_neighbours(claim.text):
        nearby = [other for other, neighbours in evidence_words if not beside.isdisjoint(neighbours)]
        written = {other.text.lower() for other in nearby}
        if claim_word.text.lower() in written:
            continue
        for other in nearby:
            if _is_listed(claim_word.text, other.text):
                yield claim_word, other


def are_opposites(first: str, second: str) -> bool:
    """Are the two words opposites by a list, in any inflection, or by a prefix, as in "safe" and "unsafe"?"""
    return _is_listed(first, second) or stem(second) in _antonyms().get(stem(first), ())


def _is_listed(first: str, second: str) -> bool:
    first, second = first.lower(), second.lower()
    return second in _AGAINST.get(first, ()) or second in _prefixed(first)


@lru_cache(maxsize=4096)  # each sentence is compared with many
def _words_with_neighbours(text: str) -> tuple[tuple[Token, frozenset[tuple[str, str]]], ...]:
    """Returns the words of a sentence, each with the stems of the words with meaning beside it, and its side.

    Words with a capital letter that are not first in their sentence, and "no fewer than", are left out.
    """
    part = parsed_sentence(text)
    covered = [match.span() for match in _AT_LEAST.finditer(text)]
    return tuple(
        (word, _neighbours(part, word))
        for word in part.words
        if (word.text.islower() or word.start == 0 or text[: word.start].endswith(": "))
        and not any(start <= word.start < end for start, end in covered)
    )


def _neighbours(part: ParsedSentence, word: Token) -> frozenset[tuple[str, str]]:
    starts = [other.start for other in part.content]
    before = part.content[: bisect_left(starts, word.start)][-1:]
    behind = part.content[bisect_right(starts, word.start) :][:1]
    return frozenset(
        [*(("before", other.stem) for other in before), *(("behind", other.stem) for other in behind)]
    )


@lru_cache(maxsize=4096)  # words
def _prefixed(word: str) -> frozenset[str]:
    """Returns what differs from the word only by a prefix such as "un", or by "hyper" against "hypo"."""
    longer = {prefix + word for prefix in _PREFIXES if len(word) >= _SHORTEST}
    rests = {word.removeprefix(prefix) for prefix in _PREFIXES if word.startswith(prefix)}
    shorter = {rest for rest in rests if len(rest) >= _SHORTEST}
    twins = {
        other + word.removeprefix(own)
        for pair in _TWINS
        for own, other in (pair, pair[::-1])
        if word.startswith(own)
    }
    return frozenset(longer | shorter | twins)


def _against() -> dict[str, set[str]]:
    """Reads the list of opposites: returns the opposites of each word."""
    return _by_word(word_list("opposites"))


def _by_word(lines: Iterable[str]) -> dict[str, set[str]]:
    """Reads lines with words left of a bar whose opposites are the words right of it, and the reverse."""
    opposites: defaultdict[str, set[str]] = defaultdict(set)
    for line in lines:
        left, right = (side.split() for side in line.split("|"))
        for word in left:
            opposites[word].update(right)
        for word in right:
            opposites[word].update(left)
    return opposites


@cache
def _antonyms() -> dict[str, set[str]]:
    """Reads the antonyms: returns the stems of the antonyms of each stem."""
    by_stem: defaultdict[str, set[str]] = defaultdict(set)
    for word, opposites in _by_word(word_list("antonyms")).items():
        by_stem[stem(word)].update(stem(opposite) for opposite in opposites)
    return by_stem


_AGAINST = _against()
