"""Finds the sources for a question: the triples of the entities that it names, and passages about it."""

import re
from collections.abc import Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from rarr.agent.evidence_search import find_evidence
from rarr.agent.revise import Reviser
from rarr.agent.wiring.search_and_reranking import search_names
from rarr.backends.rules.asked_relations import is_telling
from rarr.components import Components
from rarr.records import Evidence, Passage
from rarr.retrievers.graph.graph import EntityGraph, TriplePassage, warn_of_namesakes
from rarr.retrievers.graph.triples import Triple
from rarr.tools.concurrency.worker_threads import work

_PASSAGES = 8  # passages of a corpus or the web for one question
_TRIPLES = 60  # triples of one entity
_POINTING = 20  # triples of other entities that have it as their value
_NEXT = 200  # triples of the values of these entities, for a question over two steps
_TWO_STEPS = re.compile(r"\bof the\b.*\bof\b|\b(?:when|where|how)\b.*\bthe\b.*\bof\b", re.IGNORECASE)
"""Questions that may ask for a fact about a value, as "the height of the successor of NAME"."""


@runtime_checkable
class HasEntities(Protocol):
    """A source that is a graph."""

    async def around(self, text: str) -> EntityGraph:
        """Returns the part of the graph that `text` may speak of. Raises `RetrievalError`."""


class GivenSource(NamedTuple):
    """A source that an answer may cite, by its number from 1; `triple`: the triple that its passage says."""

    number: int
    passage: Passage
    triple: Triple | None = None


class QuestionSources(NamedTuple):
    """The sources for a question.

    `graph` is the graph that was asked, `subjects` are the ids of the entities that the question names in it,
    and `unclear` the names in the question that several entities have.
    """

    sources: Sequence[GivenSource]
    graph: EntityGraph | None = None
    subjects: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()


async def question_sources(reviser: Reviser, question: str) -> QuestionSources:
    """Searches everything that the settings of the reviser name. Raises `RetrievalError`."""
    components = reviser._components
    graphs = graphs_of(components)
    found = [await _of_graph(graph, question) for graph in graphs]
    passages = [] if graphs and _only_graphs(components) else await _passages(reviser, question)
    triples = [each for one in found for each in one.triples]
    known = {(each.passage.source, each.passage.start) for each in triples}
    sources = [GivenSource(0, each.passage, each.triple) for each in triples]
    sources += [GivenSource(0, _plain(each)) for each in passages if (each.source, each.start) not in known]
    return QuestionSources(
        [source._replace(number=number) for number, source in enumerate(sources, start=1)],
        found[0].graph if found else None,
        tuple(dict.fromkeys(id_ for one in found for id_ in one.subjects)),
        tuple(dict.fromkeys(name for one in found for name in one.unclear)),
    )


def graphs_of(components: Components) -> list[HasEntities]:
    """Returns the graphs among the sources: those of the settings, and those that the caller gave."""
    given = [getattr(components.retriever, "source", None), *components.opened]
    searched = [each for each in search_names(components.settings) if not isinstance(each, str)]
    return list({id(each): each for each in (*given, *searched) if isinstance(each, HasEntities)}.values())


class _OfGraph(NamedTuple):
    graph: EntityGraph
    triples: Sequence[TriplePassage]
    subjects: Sequence[str]
    unclear: Sequence[str]


async def _of_graph(source: HasEntities, question: str) -> _OfGraph:
    graph = await source.around(question)
    mentions = [each for each in await work(graph.link, question) if _is_subject(graph, each.entities)]
    for mention in mentions:
        if len(mention.entities) > 1:
            warn_of_namesakes(graph, mention)
    named = list(dict.fromkeys(each.entities[0] for each in mentions if len(each.entities) == 1))
    # A value such as a country is asked about only where no entity with triples of its own is.
    sure = [entity for entity in named if graph.store.around(entity)] or named
    unclear = [mention.name for mention in mentions if len(mention.entities) > 1]
    triples = await work(_triples, graph, sure)
    if _TWO_STEPS.search(question):
        triples += await work(_next_triples, graph, triples)
    return _OfGraph(graph, triples, [graph.store.id(entity) for entity in sure], unclear)


def _is_subject(graph: EntityGraph, entities: Sequence[int]) -> bool:
    """Has the graph triples about them, or telling ones that point at them? A surname alone is neither."""
    return any(
        graph.store.around(entity)
        or any(is_telling(each.relation) for each in graph.store.pointing_at(entity))
        for entity in entities
    )


def _next_triples(graph: EntityGraph, triples: Sequence[TriplePassage]) -> list[TriplePassage]:
    """Returns the triples of the values of these triples, of those that are not among them."""
    numbers = dict.fromkeys(graph.store.number(each.triple.object_id) for each in triples)
    found = [each for number in numbers if number is not None for each in graph.triples(number)[:_TRIPLES]]
    known = {each.triple for each in triples}
    return [each for each in found if each.triple not in known][:_NEXT]


def _triples(graph: EntityGraph, entities: Sequence[int]) -> list[TriplePassage]:
    """Returns the triples of the entities, and of those that point at them, each once."""
    found = list[TriplePassage]()
    for entity in entities:
        own = graph.triples(entity)
        telling = [each for each in own if is_telling(each.triple.relation)]
        found += (telling or own)[:_TRIPLES]
    for entity in entities:
        found += [each for _, each in zip(range(_POINTING), graph.pointing_at(entity), strict=False)]
    return list({each.triple: each for each in found}.values())


def _only_graphs(components: Components) -> bool:
    names = search_names(components.settings)
    return all(
        each in ("graph", "sparql") if isinstance(each, str) else isinstance(each, HasEntities)
        for each in names
    )


async def _passages(reviser: Reviser, question: str) -> Sequence[Evidence]:
    return (await find_evidence(reviser, question, _PASSAGES, question)).evidence


def _plain(evidence: Evidence) -> Passage:
    return Passage(**{name: getattr(evidence, name) for name in Passage.model_fields})
