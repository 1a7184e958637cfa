"""Decides about a sentence of a claim of which no question was asked: is there anything to check?

A verifier gives any words a class, also "Yes." beside a passage about something else. Such a class is no
judgement: words that state nothing are not judged, and a short answer needs a passage that says it.
"""

import re
from collections.abc import Iterable, Mapping, Sequence

from rarr.backends.rules.claim_sentence_alignment import LEAST_SHARED
from rarr.backends.rules.standalone_claims import claims
from rarr.records import AttributionClass, Evidence, Part, Query, Sentence
from rarr.tools.text.blocks_and_sentences import Span

_WORD = re.compile(r"\w+")
_YES_OR_NO = frozenset(
    ("yes", "no", "not", "yeah", "nope", "true", "false", "correct", "incorrect", "right", "wrong", "indeed")
)


def has_something_to_check(
    claim: str, question: str | None, sentence: Sentence, queries: Sequence[Query]
) -> bool:
    """Does the sentence of `claim` state anything, alone or as the answer to `question`?

    It does so if one of `queries` is about it, if some of its words are a part to check, or if it has enough
    words with a meaning to be compared. A short answer states something if its question is known. "Yes."
    never does, because no rule makes a statement of it and its question.
    """
    words = _words(sentence.text)
    if _YES_OR_NO.issuperset(words):
        return False
    place = Span(sentence.start, sentence.end)
    if question is not None or any(_is_about(query, place) for query in queries):
        return True
    if any(_words(claim[part.start : part.end]) != words for part in sentence.parts):
        return True
    stated = next((each for each in claims(claim, question) if each.span == place), None)
    return stated is not None and len(stated.sentence.content) >= LEAST_SHARED


def short_answer(
    sentence: Sentence,
    queries: Sequence[Query],
    classes: Mapping[str, AttributionClass | None],
    passages: Iterable[Evidence],
) -> Sentence:
    """Returns the sentence; a short answer without queries and parts becomes an open part of itself.

    This holds for an answer that a verifier calls attributable by a passage that says it, word for word. Its
    status is `unconfirmed`, since nothing shows that the passage says it of the question. Where no passage
    says it, the answer is `unjudged`.
    """
    place = Span(sentence.start, sentence.end)
    if sentence.parts or any(_is_about(query, place) for query in queries):
        return sentence
    if sentence.status not in ("supported", "unjudged"):
        return sentence
    answer = _words(sentence.text)
    saying = [
        passage.id
        for passage in passages
        if classes.get(passage.id) == "attributable" and _says(_words(passage.text), answer)
    ]
    if not saying:
        return sentence.model_copy(update={"status": "unjudged", "evidence_ids": ()})
    part = Part(start=sentence.start, end=sentence.end, state="open")
    return sentence.model_copy(
        update={"status": "unconfirmed", "evidence_ids": tuple(saying), "parts": (part,)}
    )


def _is_about(query: Query, place: Span) -> bool:
    return place.overlaps(Span(query.start, query.end))


def _words(text: str) -> list[str]:
    return _WORD.findall(text.casefold())


def _says(passage: Sequence[str], answer: Sequence[str]) -> bool:
    """Has the passage the words of the answer, one after another?"""
    size = len(answer)
    return any(passage[at : at + size] == answer for at in range(len(passage) - size + 1))
