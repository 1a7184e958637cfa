"""Finds the triples whose relation a question says by a verb or a synonym: "what does it cost"."""

import re
from collections.abc import Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.question_parts import QuestionPart
from rarr.backends.rules.asked_relations import named_stems
from rarr.backends.rules.asked_values import root
from rarr.backends.rules.words import stem, word_tokens

_HIDDEN = re.compile(r"\bXx+\b")
_INTERROGATIVE = re.compile(r"\b(?:who|whom|whose|what|which|when|where|why|how)\b", re.IGNORECASE)
_EVENT = re.compile(r"\b(?:who|whom|when|where|why)\b", re.IGNORECASE)


def asks_by_words(part: QuestionPart, *, alone: bool) -> bool:
    """Does the part ask for something by words of its own?

    A part that is not `alone` needs an interrogative.
    """
    text = _HIDDEN.sub(" ", part.text)
    words = [word for word in word_tokens(text) if word.stem]
    return bool(words) and (alone or _INTERROGATIVE.search(text) is not None)


def asks_of_event(part: QuestionPart) -> bool:
    """Does the part ask who, when, where or why, so that a value of this kind alone is no answer?"""
    return _EVENT.search(part.text) is not None


def nameless(part: QuestionPart) -> str:
    """Returns the words of the part with "it" for the names of its subjects."""
    return _HIDDEN.sub("it", part.text)


def by_words(part: QuestionPart, found: QuestionSources) -> list[GivenSource]:
    """Returns the triples of the subjects whose relation the part names by its verb or by synonyms."""
    return [
        source
        for source in found.sources
        if source.triple is not None
        and source.triple.subject_id in part.subjects
        and named_stems(source.triple.relation, _HIDDEN.sub(" ", part.text), _roots)
    ]


def _roots(text: str) -> Sequence[str]:
    return [root(word.stem or stem(word.text)) for word in word_tokens(text)]
