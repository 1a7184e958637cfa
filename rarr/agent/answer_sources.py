"""Finds the sources for a question: the triples of the entities that it names, and passages about it."""

import re
from collections.abc import Sequence

from rarr.agent.statements import evidence_of
from rarr.agent.wiring.sources import search_names
from rarr.components import Components
from rarr.errors import InputError
from rarr.records import Evidence, Passage
from rarr.records.answers import AnswerSource
from rarr.retrievers.corpus.index_words import STOP_WORDS, stems
from rarr.retrievers.graph.graph import Graph, TriplePassage, warn_of_namesakes
from rarr.retrievers.graph.relations import sentence_of
from rarr.retrievers.graph.store import linked_names
from rarr.retrievers.graph.triples import cited_triple
from rarr.state import State, usable
from rarr.tools.concurrency import work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import meter
from rarr.tools.text.wording import counted

_WORD = re.compile(r"\w+")
_MOST = 120
"""The most triples of an answer."""


def graph_of(components: Components) -> Graph | None:
    """Returns the graph among the sources of the settings and of the caller; None for none.

    Raises `InputError` for several: the same id may name other entities in another graph.
    """
    given = [getattr(components.retriever, "source", None), *components.opened]
    searched = [each for each in search_names(components.settings) if not isinstance(each, str)]
    graphs = {id(each): each for each in (*given, *searched) if isinstance(each, Graph)}
    if len(graphs) > 1:
        raise InputError(
            f"{len(graphs)} graphs are given, and an answer takes one: give one, or join them in one file"
        )
    return next(iter(graphs.values()), None)


def searches_graphs_alone(components: Components) -> bool:
    """Do the settings name no source of passages?"""
    return all(
        each == "graph" if isinstance(each, str) else isinstance(each, Graph)
        for each in search_names(components.settings)
    )


def sources_of(state: State) -> list[AnswerSource]:
    """Returns all sources that a run has found: triples first, then the passages."""
    triples = state.get("triples", [])
    known = {(each.passage.source, each.passage.start) for each in triples}
    found = (each for each in usable(state) if (each.source, each.start) not in known)
    passages = (Passage(**each.model_dump(include=set(Passage.model_fields))) for each in found)
    numbered = enumerate(passages, start=len(triples) + 1)
    return [*triples, *(AnswerSource(number=number, passage=passage) for number, passage in numbered)]


def text_of(source: AnswerSource) -> str:
    """Returns the sentence of a triple alone, or the text of a passage."""
    triple = source.triple
    if triple is None:
        return source.passage.text
    return " ".join(sentence_of(triple.subject, triple.relation, [triple.value]).split())


def source_evidence(source: AnswerSource) -> Evidence:
    """Returns a source as evidence, whose id tells its number."""
    passage = source.passage
    if source.triple is not None:
        text = text_of(source)
        passage = passage.model_copy(update={"text": text, "end": passage.start + len(text), "lead": ()})
    return evidence_of(passage, f"s{source.number}", "q1")


def topic(text: str) -> list[str]:
    """Returns the stems of the words that tell what a text is about, in order."""
    return stems(" ".join(word for word in _WORD.findall(text) if word.lower() not in STOP_WORDS))


async def graph_sources(graph: Graph, question: str) -> State:
    """Finds in a graph the triples of the entities that the question names, for the state of the run.

    Warns in the run where an entity has more triples than an answer uses.
    """
    return await work(_found, graph, question)


def _found(graph: Graph, question: str) -> State:
    store = graph.store
    mentions = [
        mention
        for mention in linked_names(store, question)
        if any(store.around(entity) or store.pointing_at(entity) for entity in mention.entities)
    ]
    # A value such as a country is a subject only where no entity with triples of its own is named.
    mentions = [it for it in mentions if any(map(store.around, it.entities))] or mentions
    for mention in mentions:
        if len(mention.entities) > 1:
            warn_of_namesakes(mention)
    sure = list(dict.fromkeys(it.entities[0] for it in mentions if len(it.entities) == 1))
    found = _triples(graph, sure, frozenset(topic(question)))
    safe = [it for it in found if not suspicion(f"{it.triple.relation}\n{it.triple.object}")]
    if withheld := len(found) - len(safe):
        message = f"{counted(withheld, 'triple')} withheld: the text seems to speak to a model"
        meter().warn("suspicious_evidence", message)
    return {
        "triples": [
            AnswerSource(number=number, passage=each.passage, triple=cited_triple(each.triple))
            for number, each in enumerate(safe, start=1)
        ],
        "subjects": {it.name: list(it.entities) for it in mentions},
    }


def _triples(graph: Graph, entities: Sequence[str], wanted: frozenset[str]) -> list[TriplePassage]:
    """Chooses triples of the entities, of others that point at them, and of the values that are asked for.

    Of too many, those with most words of the question are kept, with a warning.
    """
    found = [it for entity in entities for it in graph.triples(entity)]
    for entity in entities:
        found += graph.pointing_at(entity)
    names = {word for entity in entities for word in topic(graph.store.names[entity])}
    asked = [each.triple for each in found if _words(each) & (wanted - names)]
    values = dict.fromkeys(triple.object_id for triple in asked)
    found += [it for value in values for it in graph.triples(value)]
    by_triple = {each.triple: each for each in found}
    if len(by_triple) <= _MOST:
        return list(by_triple.values())
    meter().warn(
        "graph_cut",
        f"{len(by_triple):,} triples are about the names of the question: only {_MOST} are used, first those"
        " that the question asks for",
    )
    ranked = sorted(by_triple, key=lambda triple: -len(_words(by_triple[triple]) & wanted))
    kept = set(ranked[:_MOST])
    return [each for triple, each in by_triple.items() if triple in kept]


def _words(each: TriplePassage) -> frozenset[str]:
    triple = each.triple
    said = sentence_of("", triple.relation, [triple.object])
    return frozenset(topic(f"{triple.relation} {said}"))
