"""Tells what a question asks for and a graph does not have, each gap as a sentence."""

import re
from collections.abc import Iterator, Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.missing_facts import missing_facts
from rarr.agent.answering.question_parts import QuestionPart
from rarr.backends.rules.asked_relations import AskedRelation, answers, answers_from_value
from rarr.retrievers.graph.relations import ended
from rarr.retrievers.graph.triples import Triple

_MEMBERS = {
    "family": ("father", "mother", "spouse", "child"),
    "early life": ("place of birth", "date of birth", "father", "mother"),
    "birth": ("date of birth", "place of birth"),
    "death": ("date of death", "place of death"),
}
"""The relations of a theme of which each is missed; of any other theme one relation is enough."""
_VALUE_OF = re.compile(r"\bof\s+(?:the\s+)?Xx+|\bXx+['’]s?\s")


def gap_sentences(
    parts: Sequence[QuestionPart], triples: Sequence[GivenSource], found: QuestionSources
) -> list[str]:
    """Returns a sentence for each thing that the parts ask for and that no triple says."""
    return list(dict.fromkeys(text for part in parts for text in _of_part(part, triples, found)))


def untold(words: str, names: Sequence[str]) -> str:
    """Writes the gap of a relation."""
    return ended(f"The graph does not tell the {words} of {' and '.join(names)}.")


def unclear(names: Sequence[str]) -> str:
    """Writes that the question does not tell which of several namesakes it means."""
    return f"The question does not tell which {' and '.join(names)} is meant."


def name_of(id_: str, found: QuestionSources) -> str:
    """Returns the name of the entity with this id."""
    number = found.graph.store.number(id_) if found.graph else None
    return id_ if found.graph is None or number is None else found.graph.store.name(number)


def pointing(
    subjects: Sequence[str],
    asked: Sequence[AskedRelation],
    triples: Sequence[GivenSource],
    found: QuestionSources,
    text: str,
) -> list[GivenSource]:
    """Returns triples of others, whose value is asked about, that answer what no triple of its own does.

    Not those of somebody whom an own triple names: whose child one is may be the father or the mother. And
    if `text`, the part with hidden names, asks for "the owner of NAME", NAME as the owner is no answer.
    """
    has_value = _VALUE_OF.search(text) is not None
    others = {
        source.triple.object for source in triples if source.triple and source.triple.subject_id in subjects
    }
    return [
        source
        for each in asked
        if not any(_tells(source.triple, each, subjects) for source in triples)
        for source in triples
        if source.triple is not None
        and source.triple.subject not in others
        and _is_value(source.triple, subjects, found)
        and answers_from_value(source.triple.relation, each, inverse=has_value)
    ]


def _of_part(part: QuestionPart, triples: Sequence[GivenSource], found: QuestionSources) -> Iterator[str]:
    if part.stranger:
        yield from _of_stranger(part, found)
        return
    own = {source.triple.subject_id for source in triples if source.triple is not None}
    subjects = [id_ for id_ in part.subjects if id_ in own]
    for each in part.asked:
        yield from _of_relation(each, subjects, triples, found, part.text)
    if part.is_general and found.graph is not None:
        for id_ in subjects:
            number = found.graph.store.number(id_)
            for words in missing_facts(found.graph.store, number) if number is not None else ():
                yield untold(words, [name_of(id_, found)])


def _of_stranger(part: QuestionPart, found: QuestionSources) -> Iterator[str]:
    if part.stranger in found.unclear:
        yield unclear([part.stranger])
    elif part.asked:
        yield from (untold(each.words, [part.stranger]) for each in part.asked)
    else:
        yield f"The graph does not tell who or what {part.stranger} is."


def _of_relation(
    asked: AskedRelation,
    subjects: Sequence[str],
    triples: Sequence[GivenSource],
    found: QuestionSources,
    text: str,
) -> Iterator[str]:
    """Yields the gap of what is asked, or the gaps of the members of a theme that has others."""
    told = [id_ for id_ in subjects if any(_tells(source.triple, asked, (id_,)) for source in triples)]
    lacking = [
        id_ for id_ in subjects if id_ not in told and not pointing((id_,), [asked], triples, found, text)
    ]
    if lacking:
        yield untold(asked.words, [name_of(id_, found) for id_ in lacking])
    for words in _MEMBERS.get(asked.words, ()) if told else ():
        yield from _of_relation(AskedRelation(words, (words,)), told, triples, found, text)


def _tells(triple: Triple | None, asked: AskedRelation, subjects: Sequence[str]) -> bool:
    return triple is not None and triple.subject_id in subjects and answers(triple.relation, asked)


def _is_value(triple: Triple, subjects: Sequence[str], found: QuestionSources) -> bool:
    """Is the value of the triple one of the entities that are asked about?"""
    return triple.object_id in subjects or triple.object in (name_of(id_, found) for id_ in subjects)
