"""Finds the triples that a question asks for, by the names of relations: without reading its grammar."""

import re
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.backends.embedded.near_quotes import items_of
from rarr.retrievers.graph.relations import common_relation, common_relations
from rarr.retrievers.graph.triples import Triple, name_key, relation_words

_PARTS = re.compile(r",?\s+and\s+(?=(?:what|who|when|where|which|how)\b)|[?;]\s*", re.IGNORECASE)
_ASKING = "who what when where which how tell about"


class _Part(NamedTuple):
    """A part of a question, with the triples of the entities that it names."""

    text: str
    own: Sequence[GivenSource]


def asked_triples(question: str, found: QuestionSources) -> list[GivenSource]:
    """Returns the triples that answer: those of the named entities, and those of which one is the value.

    A part of names alone, such as "Who was Marie Curie?", asks for all triples of its entities.
    """
    asked = [source for part in _parts(question, found) for source in _asked(part, found)]
    return [source for number, source in enumerate(asked) if source not in asked[:number]]


def asks_for(question: str, relation: str) -> bool:
    """Does the question ask for the relation: by a usual wording, or by all words of its name?"""
    known = common_relation(relation)
    if known is not None and re.search(known.asked, question, re.IGNORECASE):
        return True
    return _stems(relation_words(relation)) <= _stems(question)


def gaps(question: str, found: QuestionSources) -> Iterator[str]:
    """Yields a sentence for each usual relation that a part asks for and that an entity of it lacks."""
    for part in _parts(question, found):
        if _asked(part, found):
            continue
        names = {source.triple.subject: None for source in part.own if source.triple}
        for relation in common_relations():
            if re.search(relation.asked, part.text, re.IGNORECASE):
                yield from (f"The graph does not tell the {relation.names[0]} of {name}." for name in names)


def _parts(question: str, found: QuestionSources) -> Iterator[_Part]:
    """Yields the parts; a part without a name is about the entities of the part before it."""
    own: list[GivenSource] = []
    for text in filter(None, _PARTS.split(question)):
        key = f" {name_key(text)} "
        about = [
            source for source in found.sources if source.triple and source.triple.subject_id in found.subjects
        ]
        named = [
            source for source in about if source.triple and f" {name_key(source.triple.subject)} " in key
        ]
        own = named or own or (about if len(found.subjects) == 1 else [])
        yield _Part(text, own)


def _asked(part: _Part, found: QuestionSources) -> list[GivenSource]:
    if part.own and not _words(part.text, part.own):
        return list(part.own)
    own = [source for source in part.own if source.triple and asks_for(part.text, source.triple.relation)]
    return own or [
        source
        for source in found.sources
        if source.triple and _is_asked_as_value(part, source.triple, source)
    ]


def _is_asked_as_value(part: _Part, triple: Triple, source: GivenSource) -> bool:
    """Does the part ask "Who was born in Warsaw?", of which the sentence begins with the subject?"""
    sentence = source.passage.text
    if (
        not sentence.startswith(triple.subject)
        or f" {name_key(triple.object)} " not in f" {name_key(part.text)} "
    ):
        return False
    return _stems(sentence.removeprefix(triple.subject)) == _stems(part.text) - _stems(_ASKING)


def _words(text: str, sources: Sequence[GivenSource]) -> set[str]:
    """Returns the words with meaning of a text, without those of the names of its entities."""
    names = " ".join(source.triple.subject for source in sources if source.triple)
    return _stems(text) - _stems(names) - _stems(_ASKING)


def _stems(text: str) -> set[str]:
    return {item.stem or text[item.start : item.end] for item in items_of(text.lower())}
