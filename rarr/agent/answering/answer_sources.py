"""Finds the sources for a question: the triples of the entities that it names, and passages about it."""

from collections.abc import Iterator, Sequence
from typing import NamedTuple, Protocol, runtime_checkable

from rarr.agent.wiring.search_and_reranking import search_names
from rarr.components import Components
from rarr.errors import InputError
from rarr.records import Evidence, Passage
from rarr.records.answers import AnswerSource, CitedTriple
from rarr.retrievers.graph.graph import EntityGraph, TriplePassage, warn_of_namesakes
from rarr.retrievers.graph.store import TripleStore
from rarr.retrievers.graph.triples import Triple, cited_triple, name_key, relation_words, triple_of
from rarr.state import State, usable
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.printable_text import shown

_MOST = 60
"""Triples of one entity. Of an entity with more, those that share a word with the text come first."""


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

    def record(self) -> CitedTriple | None:
        """Returns the record of its triple; None for a passage."""
        return cited_triple(self.triple) if self.triple else None


class QuestionSources(NamedTuple):
    """The sources for a question.

    `graph` is the graph that was asked, `subjects` are the ids of the entities that the question names in it,
    and `unclear` the names in the question that several entities have. `cut` are the ids of entities of which
    the graph has more triples than the sources.
    """

    sources: Sequence[GivenSource]
    graph: EntityGraph | None = None
    subjects: tuple[str, ...] = ()
    unclear: tuple[str, ...] = ()
    cut: tuple[str, ...] = ()


async def graph_sources(source: HasEntities, text: str) -> QuestionSources:
    """Finds in a graph the triples of the entities that `text` names. Raises `RetrievalError`.

    Warns in the run where an entity has more triples than an answer uses.
    """
    graph = await source.around(text)
    mentions = [each for each in await work(graph.link, text) if _is_subject(graph, each.entities)]
    for mention in mentions:
        if len(mention.entities) > 1:
            warn_of_namesakes(graph, mention)
    named = list(dict.fromkeys(each.entities[0] for each in mentions if len(each.entities) == 1))
    # A value such as a country is asked about only where no entity with triples of its own is.
    sure = [entity for entity in named if graph.store.around(entity)] or named
    triples, cut = await work(_triples, graph, sure, text)
    subjects = tuple(graph.store.id(entity) for entity in sure)
    return QuestionSources(
        [GivenSource(number, each.passage, each.triple) for number, each in enumerate(triples, start=1)],
        graph,
        subjects,
        tuple(dict.fromkeys(mention.name for mention in mentions if len(mention.entities) > 1)),
        subjects if graph.is_cut else cut,
    )


def kept_sources(found: QuestionSources) -> State:
    """Returns what a run keeps of the sources in a graph, for its state."""
    return {
        "triples": [
            AnswerSource(number=each.number, passage=each.passage, triple=each.record())
            for each in found.sources
        ],
        "aliases": [each for id_ in found.subjects for each in _aliases(id_, found.graph)],
        "subjects": list(found.subjects),
        "unclear": list(found.unclear),
    }


def _aliases(id_: str, graph: EntityGraph | None) -> Iterator[CitedTriple]:
    number = graph.store.number(id_) if graph else None
    if graph is None or number is None:
        return
    name = graph.store.name(number)
    for alias in graph.store.aliases(number):
        yield CitedTriple(subject_id=id_, subject=name, relation="alias", value_id=alias, value=alias)


def sources_of(state: State) -> QuestionSources:
    """Returns all sources that a run has found: triples first, then the passages.

    The graph has only the triples that the run keeps, so that a resumed run and a replay need no other.
    """
    kept = state.get("triples", [])
    triples = [
        GivenSource(each.number, each.passage, triple_of(each.triple) if each.triple else None)
        for each in kept
    ]
    known = {(each.passage.source, each.passage.start) for each in triples}
    passages = [_plain(each) for each in usable(state) if (each.source, each.start) not in known]
    sources = [*triples, *(GivenSource(n, each) for n, each in enumerate(passages, start=len(triples) + 1))]
    told = [each.triple for each in triples] + [triple_of(each) for each in state.get("aliases", [])]
    store = TripleStore(each for each in dict.fromkeys(told) if each is not None)
    return QuestionSources(
        sources,
        EntityGraph(store, "graph") if told else None,
        tuple(state.get("subjects", ())),
        tuple(state.get("unclear", ())),
    )


def graph_of(components: Components) -> HasEntities | None:
    """Returns the graph among the sources of the settings and of the caller; None for none.

    Raises `InputError` for several: the same id may name other entities in another graph.
    """
    given = [getattr(components.retriever, "source", None), *components.opened]
    searched = [each for each in search_names(components.settings) if not isinstance(each, str)]
    graphs = {id(each): each for each in (*given, *searched) if isinstance(each, HasEntities)}
    if len(graphs) > 1:
        raise InputError(
            f"{len(graphs)} graphs are given, and an answer takes one: give one, or join them in one file"
        )
    return next(iter(graphs.values()), None)


def _triples(
    graph: EntityGraph, entities: Sequence[int], text: str
) -> tuple[list[TriplePassage], tuple[str, ...]]:
    """Returns the triples of the entities, those that point at them, and the ids of those with too many.

    Warns in the run where an entity has more than are chosen.
    """
    words, found, cut = set(name_key(text).split()), list[TriplePassage](), list[str]()
    for entity in entities:
        own = [*graph.triples(entity), *graph.pointing_at(entity)]
        if len(own) > _MOST:
            best = sorted(own, key=lambda each: -len(words & set(_key(each).split())))[:_MOST]
            name = graph.store.name(entity)
            meter().warn("graph_cut", f"{shown(name)!r} has {len(own)} triples: only {_MOST} are used")
            cut.append(graph.store.id(entity))
            own = [each for each in own if each in best]
        found += own
    return list({each.triple: each for each in found}.values()), tuple(cut)


def _key(each: TriplePassage) -> str:
    return name_key(f"{relation_words(each.triple.relation)} {each.triple.object}")


def _is_subject(graph: EntityGraph, entities: Sequence[int]) -> bool:
    """Has the graph triples about them, or that point at them? A surname alone has neither."""
    return any(graph.store.around(entity) or graph.store.pointing_at(entity) for entity in entities)


def searches_graphs_alone(components: Components) -> bool:
    """Do the settings name no source of passages?"""
    names = search_names(components.settings)
    return all(
        each in ("graph", "sparql") if isinstance(each, str) else isinstance(each, HasEntities)
        for each in names
    )


def _plain(evidence: Evidence) -> Passage:
    return Passage(**{name: getattr(evidence, name) for name in Passage.model_fields})
