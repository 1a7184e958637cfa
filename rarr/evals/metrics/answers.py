"""Compares a short answer with right ones, by words and by values.

Words are normalised as in SQuAD (Rajpurkar et al. 2016): lower case, without punctuation and articles.
"""

import re
import unicodedata
from collections import Counter
from collections.abc import Iterable, Sequence

from rarr.backends.embedded.items import Item, items_of
from rarr.backends.embedded.phrases import is_same
from rarr.backends.embedded.values import compare, values

_ARTICLES = frozenset({"a", "an", "the"})
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


def is_same_answer(answer: str, other: str) -> bool:
    """Are two short answers the same words, or do they hold the same value?"""
    if exact_match(answer, other):
        return True
    return any(compare(value, second) == "equal" for value in values(answer) for second in values(other))


def answer_score(answer: str, references: Iterable[str]) -> float:
    """Computes the share of a right answer that `answer` has, of the best reference, from 0 to 1.

    It counts values, in any form, and words with meaning, in any inflection. A right answer whose values the
    answer lacks has no share.
    """
    given = items_of(answer)
    return max((_share(given, answer, reference) for reference in references), default=0.0)


def _share(given: Sequence[Item], answer: str, reference: str) -> float:
    wanted = items_of(reference)
    if not wanted:
        return float(exact_match(answer, reference))
    has = [any(is_same(item, other) for other in given) for item in wanted]
    if any(item.value and not there for item, there in zip(wanted, has, strict=True)):
        return 0.0
    return sum(has) / len(has)
