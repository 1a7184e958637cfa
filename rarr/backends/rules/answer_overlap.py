"""Compares the words of two short answers: exact match, F1 of words, and the share that one has of the other.

Words are normalised as in SQuAD (Rajpurkar et al. 2016): lower case, without punctuation and articles.
"""

import re
import unicodedata
from collections import Counter

from rapidfuzz.distance import LCSseq

from rarr.backends.rules.values import checkable_values, same_value
from rarr.backends.rules.words import folded_text

_ARTICLES = frozenset({"a", "an", "the"})
_AROUND = " .,;:!?\"'“”‘’()*_"
_PUNCTUATION = re.compile(r"[^\w\s]|_")


def answer_words(answer: str) -> list[str]:
    """Returns the normalised words of an answer, in order."""
    folded = unicodedata.normalize("NFKC", answer).lower()
    return [word for word in _PUNCTUATION.sub("", folded).split() if word not in _ARTICLES]


def exact_match(answer: str, reference: str) -> bool:
    """Do two answers have the same normalised words in the same order? Two empty answers do not."""
    words = answer_words(answer)
    return bool(words) and words == answer_words(reference)


def token_f1(answer: str, reference: str) -> float:
    """Computes the F1 of the normalised words that both answers have, from 0 to 1 (SQuAD)."""
    words, others = answer_words(answer), answer_words(reference)
    common = (Counter(words) & Counter(others)).total()
    return 2 * common / (len(words) + len(others)) if common else 0.0


def containment(answer: str, reference: str) -> float:
    """Computes the share of the normalised words of `reference` that `answer` has, from 0 to 1."""
    words = Counter(answer_words(reference))
    return (words & Counter(answer_words(answer))).total() / words.total() if words else 0.0


def longest_common_share(answer: str, reference: str) -> float:
    """Computes the share of the words of `reference` that `answer` has in the same order, from 0 to 1."""
    words = answer_words(reference)
    return LCSseq.similarity(answer_words(answer), words) / len(words) if words else 0.0


def is_same_answer(answer: str, other: str) -> bool:
    """Are two short answers the same words, or do they hold the same value?"""
    if folded_text(answer).strip(_AROUND) == folded_text(other).strip(_AROUND):
        return True
    return any(
        same_value(value, second) for value in checkable_values(answer) for second in checkable_values(other)
    )
