"""Finds the sentence of a passage that is closest to a claim."""

import re
from collections.abc import Sequence

from rarr.tools.text.blocks_and_sentences import split_sentences


def closest_sentence(passage: str, claim: str) -> str:
    """Returns the sentence of `passage` that shares most words with `claim`."""
    return max(sentence_texts(passage), key=lambda sentence: shared_words(sentence, claim))


def sentence_texts(passage: str) -> Sequence[str]:
    """Returns the sentences of `passage`, or the whole of it if it has none."""
    return [span.of(passage) for span in split_sentences(passage)] or [passage]


def shared_words(one: str, other: str) -> int:
    """Counts the words that are in both texts."""
    return len(_words(one) & _words(other))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
