"""Chooses the sentences of passages that are quoted beside a sentence of the text."""

import re
from collections.abc import Iterable, Mapping

from rarr.records import Evidence, Sentence
from rarr.tools.text.blocks_and_sentences import closest_sentence, sentence_texts, shared_words

_MOST = 3  # quotes beside a sentence


def quoted_sources(sentence: Sentence, evidence: Iterable[Evidence]) -> list[tuple[Evidence, list[str]]]:
    """Lists the sources of a sentence, each with its quotes.

    These are the lines that the reader cited. Without any, they are at most three sentences of the sources
    together, first those that confirm a part of the sentence. A quote that several queries found comes once.
    """
    by_id = {passage.id: passage for passage in evidence}
    if sentence.quotes:
        return _cited(sentence, by_id)
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


def _cited(sentence: Sentence, by_id: Mapping[str, Evidence]) -> list[tuple[Evidence, list[str]]]:
    cited: dict[tuple[str, str], tuple[Evidence, list[str]]] = {}
    for quote in sentence.quotes:
        if (passage := by_id.get(quote.evidence_id)) is not None:
            _, lines = cited.setdefault((passage.title, passage.source), (passage, []))
            lines += [] if quote.text in lines else [quote.text]
    return list(cited.values())


def confirming_sentences(passage: str, claim: str, says: Iterable[str], most: int) -> list[str]:
    """Returns, in order, at most `most` sentences of `passage` that together hold the phrases in `says`.

    The sentence with the most phrases is chosen first; of equals, the sentence closer to `claim`. If no
    sentence has a phrase, the sentence closest to `claim` is returned.
    """
    quotes, left, chosen = sentence_texts(passage), set(filter(None, says)), set[int]()
    while left and len(chosen) < most:
        held = [{words for words in left if _holds(quote, words)} for quote in quotes]
        best = max(range(len(quotes)), key=lambda n: (len(held[n]), shared_words(quotes[n], claim)))
        if not held[best]:
            break
        chosen.add(best)
        left -= held[best]
    return [quotes[n] for n in sorted(chosen)] or [closest_sentence(passage, claim)][:most]


def _holds(quote: str, words: str) -> bool:
    return re.search(rf"(?<!\w){re.escape(words)}(?!\w)", quote) is not None
