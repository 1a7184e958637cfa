"""Answers from triples without a language model: each statement is the sentence of the triples it cites."""

from collections.abc import Iterator, Sequence

from rarr.agent.answering.answer_sources import GivenSource, QuestionSources
from rarr.agent.answering.question_parts import QuestionPart, question_parts
from rarr.agent.answering.statement_drafts import Draft
from rarr.agent.wiring.resources import Resources
from rarr.backends.encoder.ranking import TrainedReranker
from rarr.backends.rules.asked_relations import (
    AskedRelation,
    answers,
    answers_from_value,
    is_core,
    is_telling,
)
from rarr.retrievers.graph.triples import Triple
from rarr.settings import Settings
from rarr.tools.concurrency.worker_threads import in_thread, work

_RELEVANT = 0.7
"""The relevance from which a triple answers a question that names no relation, as the encoder scores it.

Chosen on 14 made-up questions over one product: from 0.7 on, none of the 7 without an answer got one.
"""


async def triple_answer(question: str, found: QuestionSources, settings: Settings) -> list[Draft]:
    """Returns the statements for a question; what it asks for and no triple says becomes a gap."""
    if not found.subjects:
        if not found.unclear:
            return [Draft("The graph has nothing that the question names.", needs_support=True)]
        names = " and ".join(found.unclear)
        return [Draft(f"The question does not tell which {names} is meant.", needs_support=True)]
    triples = [source for source in found.sources if source.triple is not None]
    parts = await work(question_parts, question, found)
    is_asked = any(part.asked for part in parts)
    chosen = [source for source in triples for part in parts if _is_wanted(source, part, core=is_asked)]
    chosen += [source for part in parts for source in _pointing(part, triples, found)]
    if not chosen and not is_asked:
        chosen = await _most_relevant(question, triples, settings)
    drafts = _sentences(chosen)
    drafts += [Draft(text, needs_support=True) for part in parts for text in _gaps(part, triples, found)]
    names = " and ".join(_name(id_, found) for id_ in found.subjects)
    return drafts or [Draft(f"The graph does not tell this of {names}.", needs_support=True)]


def _is_wanted(source: GivenSource, part: QuestionPart, *, core: bool) -> bool:
    """Does the triple answer the part, or belong to an overview? `core`: one of the main facts alone."""
    triple = source.triple
    if triple is None or triple.subject_id not in part.subjects:
        return False
    if any(answers(triple.relation, each) for each in part.asked):
        return True
    return part.is_general and (is_core(triple.relation) if core else is_telling(triple.relation))


def _pointing(
    part: QuestionPart, triples: Sequence[GivenSource], found: QuestionSources
) -> list[GivenSource]:
    """Returns triples of others, whose value is asked about, that answer what no triple of its own does."""
    return [
        source
        for each in part.asked
        if not _answering(each, part, triples)
        for source in triples
        if source.triple is not None
        and _is_value(source.triple, part, found)
        and answers_from_value(source.triple.relation, each)
    ]


def _is_value(triple: Triple, part: QuestionPart, found: QuestionSources) -> bool:
    """Is the value of the triple one of the entities that the part asks about?"""
    return triple.object_id in part.subjects or triple.object in (_name(id_, found) for id_ in part.subjects)


def _gaps(part: QuestionPart, triples: Sequence[GivenSource], found: QuestionSources) -> Iterator[str]:
    own = {source.triple.subject_id for source in triples if source.triple is not None}
    names = " and ".join(_name(id_, found) for id_ in part.subjects if id_ in own)
    for each in part.asked:
        pointing = _pointing(part._replace(asked=[each]), triples, found)
        if names and not (_answering(each, part, triples) or pointing):
            yield f"The graph does not tell the {each.words} of {names}."


def _answering(asked: AskedRelation, part: QuestionPart, triples: Sequence[GivenSource]) -> bool:
    return any(
        source.triple.subject_id in part.subjects and answers(source.triple.relation, asked)
        for source in triples
        if source.triple is not None
    )


def _sentences(chosen: Sequence[GivenSource]) -> list[Draft]:
    """Makes one statement of all triples that one sentence says."""
    by_sentence: dict[str, dict[int, None]] = {}
    for source in chosen:
        by_sentence.setdefault(source.passage.text, {})[source.number] = None
    return [Draft(text, tuple(numbers)) for text, numbers in by_sentence.items()]


async def _most_relevant(
    question: str, triples: Sequence[GivenSource], settings: Settings
) -> list[GivenSource]:
    """Returns the triples that the encoder finds relevant to a question whose words name no relation."""
    reranker = TrainedReranker(await in_thread(lambda: Resources(settings).encoder))
    scores = await reranker.score(question, [source.passage for source in triples])
    best = max(scores, default=0.0)
    scored = zip(triples, scores, strict=True)
    return [source for source, score in scored if score >= _RELEVANT and score == best]


def _name(id_: str, found: QuestionSources) -> str:
    number = found.graph.store.number(id_) if found.graph else None
    return id_ if found.graph is None or number is None else found.graph.store.name(number)
