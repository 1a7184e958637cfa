"""Chooses the sentences of passages that are quoted beside a sentence of the text."""

import re
from collections.abc import Iterable, Sequence

from rarr.records import Evidence, Sentence
from rarr.tools.text.blocks_and_sentences import split_sentences

_MOST = 3  # quotes beside a sentence


def quoted_sources(sentence: Sentence, evidence: Iterable[Evidence]) -> list[tuple[Evidence, list[str]]]:
    """Lists the sources of a sentence, each with its quotes, at most three quotes together.

    Quotes that confirm a part of the sentence come first. A quote that several queries found comes once.
    """
    by_id = {passage.id: passage for passage in evidence}
    says: dict[str, list[str]] = {}
    for part in sentence.parts:
        if part.state == "confirmed":
            says.setdefault(part.evidence_id, []).append(part.says)
    used = [by_id[name] for name in sentence.evidence_ids if name in by_id]
    sources: dict[tuple[str, str], tuple[Evidence, list[str]]] = {}
    left = _MOST
    for passage in sorted(used, key=lambda passage: passage.id not in says):
        _, quotes = sources.setdefault((passage.title, passage.source), (passage, []))
        held = confirming_sentences(passage.text, sentence.text, says.get(passage.id, ()), left)
        new = [quote for quote in held if quote not in quotes]
        quotes += new
        left -= len(new)
    return [(passage, quotes) for passage, quotes in sources.values() if quotes]


def closest_sentence(passage: str, claim: str) -> str:
    """Returns the sentence of `passage` that shares most words with `claim`."""
    return max(_sentences(passage), key=lambda quote: _shared_words(quote, claim))


def confirming_sentences(passage: str, claim: str, says: Iterable[str], most: int) -> list[str]:
    """Returns the fewest sentences of `passage` that hold all words of `says`, at most `most`, in order.

    Among sentences that hold as many of the words, the one closer to `claim` counts. Without words in any
    sentence, the closest sentence is returned.
    """
    quotes, left, chosen = _sentences(passage), set(filter(None, says)), set[int]()
    while left and len(chosen) < most:
        held = [{words for words in left if _holds(quote, words)} for quote in quotes]
        best = max(range(len(quotes)), key=lambda n: (len(held[n]), _shared_words(quotes[n], claim)))
        if not held[best]:
            break
        chosen.add(best)
        left -= held[best]
    return [quotes[n] for n in sorted(chosen)] or [closest_sentence(passage, claim)][:most]


def _sentences(passage: str) -> Sequence[str]:
    return [span.of(passage) for span in split_sentences(passage)] or [passage]


def _holds(quote: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", quote) is not None


def _shared_words(quote: str, claim: str) -> int:
    return len(_words(quote) & _words(claim))


def _words(text: str) -> set[str]:
    return set(re.findall(r"\w+", text.casefold()))
