"""Finds opposites: words of the claim that the evidence replaces by words of opposite meaning."""

import re
from collections import defaultdict
from collections.abc import Iterator

from rarr.backends.rules.parsed_sentence import ParsedSentence
from rarr.backends.rules.word_lists import word_list
from rarr.backends.rules.words import Token

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
    evidence_words = _words(evidence)
    for claim_word in _words(claim):
        beside = _next_to(claim, claim_word)
        nearby = [other for other in evidence_words if beside & _next_to(evidence, other)]
        written = {other.text.lower() for other in nearby}
        if claim_word.text.lower() in written:
            continue
        for other in nearby:
            if other.text.lower() in _AGAINST.get(claim_word.text.lower(), ()) or _is_prefixed(
                claim_word, other
            ):
                yield claim_word, other


def _words(part: ParsedSentence) -> list[Token]:
    """Returns the words without a capital letter, or first in their sentence, and not in "no fewer than"."""
    covered = [match.span() for match in _AT_LEAST.finditer(part.text)]
    return [
        word
        for word in part.words
        if (word.text.islower() or word.start == 0 or part.text[: word.start].endswith(": "))
        and not any(start <= word.start < end for start, end in covered)
    ]


def _next_to(part: ParsedSentence, word: Token) -> set[tuple[str, str]]:
    """Returns the stems of the nearest words with meaning before and behind `word`, each with its side."""
    before = [neighbour.stem for neighbour in part.content if neighbour.start < word.start][-1:]
    behind = [neighbour.stem for neighbour in part.content if neighbour.start > word.start][:1]
    return {("before", stem) for stem in before} | {("behind", stem) for stem in behind}


def _is_prefixed(claim_word: Token, evidence_word: Token) -> bool:
    """Do the words differ only by a prefix such as "un", or by "hyper" against "hypo"?"""
    first_word, second_word = claim_word.text.lower(), evidence_word.text.lower()
    short, long = sorted((first_word, second_word), key=len)
    if len(short) >= _SHORTEST and any(long == prefix + short for prefix in _PREFIXES):
        return True
    return any(
        (first_word.startswith(first) and second_word == second + first_word.removeprefix(first))
        or (first_word.startswith(second) and second_word == first + first_word.removeprefix(second))
        for first, second in _TWINS
    )


def _against() -> dict[str, set[str]]:
    """Reads the list of opposites: returns the opposites of each word."""
    opposites: defaultdict[str, set[str]] = defaultdict(set)
    for line in word_list("opposites"):
        left, right = (side.split() for side in line.split("|"))
        for word in left:
            opposites[word].update(right)
        for word in right:
            opposites[word].update(left)
    return opposites


_AGAINST = _against()
