"""Divides a question into parts, and finds out which entities each part asks about."""

import re
from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.answering.answer_sources import QuestionSources
from rarr.backends.rules.asked_phrases import asked_phrases
from rarr.backends.rules.asked_relations import AskedRelation, asked_relations, clause_spans, is_general
from rarr.backends.rules.values import checkable_values
from rarr.retrievers.graph.mentions import Mention
from rarr.tools.text.blocks_and_sentences import Span

_PRONOUN = re.compile(r"\b(?:he|she|it|they|him|his|hers?|its|them|their|theirs)\b", re.IGNORECASE)
_IS_WHO = re.compile(r"\bwh(?:o|at)\s+(?:is|was|are|were)\s+Xx+(?!['’x])", re.IGNORECASE)


class QuestionPart(NamedTuple):
    """A part of a question: the ids of the entities that it asks about, and what it asks for.

    `written` is the part as the question has it; `text` has the names of the subjects hidden
    (`without_subjects`). `is_general`: it asks who or what they are. `stranger`: it asks about this name
    instead, which no subject of the graph has, or several. `open` are things that it asks for in words that
    name no relation.
    """

    written: str
    text: str
    subjects: tuple[str, ...]
    asked: Sequence[AskedRelation]
    is_general: bool
    stranger: str = ""
    open: tuple[str, ...] = ()


class _About(NamedTuple):
    """What a part is about: the places of names of subjects in it with their ids, or another name."""

    names: tuple[Span, ...] = ()
    ids: tuple[str, ...] = ()
    stranger: str = ""

    def __bool__(self) -> bool:
        return bool(self.ids or self.stranger)


def question_parts(question: str, found: QuestionSources) -> list[QuestionPart]:
    """Divides the question at what it asks next.

    A part without a name asks about the entities of the part before it where it has a pronoun, or where no
    later part has a name; otherwise about those of the next part: "the height and the age of Ida Lunde". A
    part about a name that is no subject of the graph asks about nothing else.
    """
    if found.graph is None:
        return []
    hidden = without_subjects(question, found)
    spans = clause_spans(hidden)
    named = [_named(question, span, found) for span in spans]
    available = {source.triple.relation for source in found.sources if source.triple is not None}
    phrases = [each for about in named for name in about.names for each in asked_phrases(hidden, name)]
    unmatched = [
        each
        for each in phrases
        if each.of(hidden) == each.of(question) and not asked_relations(each.of(hidden), available)
    ]
    return [
        QuestionPart(
            written=span.of(question),
            text=span.of(hidden),
            subjects=about.ids,
            asked=asked,
            is_general=_is_general(span.of(hidden), asked) or _is_name(question, about),
            stranger=about.stranger,
            open=tuple(each.of(hidden) for each in unmatched if span.start <= each.start < span.end),
        )
        for number, span in enumerate(spans)
        for about in [named[number] or _other(number, span.of(hidden), named)]
        for asked in [asked_relations(span.of(hidden), available)]
    ]


def without_subjects(question: str, found: QuestionSources) -> str:
    """Hides the names that the answer is about, each by a name of its length that says nothing.

    So the words and commas in "Mother Goose Books, Ltd." ask for nothing.
    """
    for mention in found.graph.link(question) if found.graph else ():
        if mention in _subjects(question, found) or mention.name in found.unclear:
            hiding = "X" + "x" * (mention.end - mention.start - 1)
            question = f"{question[: mention.start]}{hiding}{question[mention.end :]}"
    return question


def _is_general(part: str, asked: Sequence[AskedRelation]) -> bool:
    """Does the part ask for an overview? Not "who is Ida Lunde married to", which asks for one thing."""
    return is_general(part) and not (asked and _IS_WHO.search(part))


def _other(number: int, part: str, named: Sequence[_About]) -> _About:
    """Returns what another part is about, for a part without a name."""
    before = next((each for each in reversed(named[:number]) if each), _About())
    after = next((each for each in named[number + 1 :] if each), _About())
    return before if (before and _PRONOUN.search(part)) or not after else after


def _is_name(question: str, about: _About) -> bool:
    """Is the whole question the name of a subject?"""
    return any(name.of(question) == question.strip(" ?.!") for name in about.names)


def _named(question: str, part: Span, found: QuestionSources) -> _About:
    mentions = [each for each in _subjects(question, found) if part.start <= each.start < part.end]
    if found.graph is None or not mentions:
        return _About(stranger=_stranger(part.of(question)))
    ids = dict.fromkeys(found.graph.store.id(each.entities[0]) for each in mentions)
    return _About(tuple(Span(each.start, each.end) for each in mentions), tuple(ids))


def _subjects(question: str, found: QuestionSources) -> list[Mention]:
    """Returns the names in the question that mean one entity which the answer is about."""
    return [
        each
        for each in (found.graph.link(question) if found.graph else ())
        if len(each.entities) == 1
        and found.graph
        and found.graph.store.id(each.entities[0]) in found.subjects
    ]


def _stranger(part: str) -> str:
    """Returns the name that the part asks about: no name of a relation, and none beside a pronoun."""
    if _PRONOUN.search(part) or not (asked_relations(part) or is_general(part)):
        return ""
    names = [part[value.start : value.end] for value in checkable_values(part) if value.kind == "name"]
    return next((name for name in names if not asked_relations(name)), "")
