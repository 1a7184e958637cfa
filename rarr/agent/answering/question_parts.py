"""Divides a question into parts, and finds out which entities each part asks about."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.answering.answer_sources import QuestionSources
from rarr.backends.rules.asked_relations import AskedRelation, asked_relations, clause_spans, is_general

_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|his|hers?|its|them|their|theirs)\b", re.IGNORECASE)


class QuestionPart(NamedTuple):
    """A part of a question: the ids of the entities that it asks about, and what it asks for.

    `is_general`: it asks who or what they are.
    """

    text: str
    subjects: tuple[str, ...]
    asked: Sequence[AskedRelation]
    is_general: bool


def question_parts(question: str, found: QuestionSources) -> list[QuestionPart]:
    """Divides the question at what it asks next.

    A part without a name asks about the entities of the part before it where it has a pronoun, or where no
    later part has a name; otherwise about those of the next part: "the height and the age of Ida Lunde".
    """
    if found.graph is None:
        return []
    store = found.graph.store
    mentions = [
        each
        for each in found.graph.link(question)
        if len(each.entities) == 1 and store.id(each.entities[0]) in found.subjects
    ]
    available = {source.triple.relation for source in found.sources if source.triple is not None}
    spans = clause_spans(question)
    named = [
        tuple(
            dict.fromkeys(
                store.id(each.entities[0]) for each in mentions if span.start <= each.start < span.end
            )
        )
        for span in spans
    ]
    parts = list[QuestionPart]()
    for number, span in enumerate(spans):
        text = span.of(question)
        before = next((ids for ids in reversed(named[:number]) if ids), ())
        after = next((ids for ids in named[number + 1 :] if ids), ())
        others = before if (before and _PRONOUN.search(text)) or not after else after
        asked = asked_relations(text, available)
        parts.append(QuestionPart(text, named[number] or others, asked, is_general(text)))
    return parts
