"""The steps of answering that are no steps of revising: find triples, write the answer, check it."""

from typing import Protocol, runtime_checkable

from langgraph.runtime import Runtime

from rarr.agent.answering.answer_sources import (
    GivenSource,
    graph_of,
    graph_sources,
    kept_sources,
    searches_graphs_alone,
    sources_of,
)
from rarr.agent.answering.draft_reading import draft_statements
from rarr.agent.answering.extractive_answer import extractive_answer
from rarr.agent.answering.statement_checks import checked_statements
from rarr.components import Components
from rarr.errors import RetrievalError
from rarr.records import Query
from rarr.retrievers.graph.relations import sentence_of
from rarr.state import State
from rarr.tools.concurrency.worker_threads import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.warning_lines import is_failure


@runtime_checkable
class KeepsTriples(Protocol):
    """A source of a replay: it has what the run found in its graph."""

    def kept_triples(self) -> State:
        """Returns the update of `find_triples` in the run. Raises the error of the run."""


async def find_triples(state: State, runtime: Runtime[Components]) -> State:
    """Finds the triples of the entities that the question names, and makes the query for passages."""
    components, question, draft = runtime.context, state["original"], state["context"]
    if isinstance(components.retriever, KeepsTriples):
        return components.retriever.kept_triples()
    source, text = graph_of(components), question if draft is None else f"{question}\n{draft}"
    query = Query(id="q1", text=text, start=0, end=0)
    update: State = {"queries": [] if source and searches_graphs_alone(components) else [query]}
    if source is None:
        return update
    async with meter().in_time():
        found = await graph_sources(source, text)
    return {**update, **kept_sources(found)}


async def write_answer(state: State, runtime: Runtime[Components]) -> State:
    """Lets the language model write the statements, or reads those of the draft; else quotes the sources.

    Raises `RetrievalError` if the passages could not be ranked, and what the model raises.
    """
    of_ranking = [each for each in state["warnings"] if each.node == "rerank"]
    if failed := next(filter(is_failure, of_ranking), None):
        raise RetrievalError(failed.message)
    found, writer = await work(sources_of, state), runtime.context.answer_writer
    if state["context"] is not None:
        return {"written": await work(draft_statements, state["context"])}
    if writer is None:
        return {"statements": await work(extractive_answer, state["original"], found)}
    sources = await work(lambda: [_listed(source) for source in found.sources])
    return {"written": list(await writer.write(state["original"], sources))}


async def check_statements(state: State, runtime: Runtime[Components]) -> State:
    """Checks each citation of the written statements, and finds what has no support."""
    found = await work(sources_of, state)
    drafts, notices = await checked_statements(state["original"], state["written"], found, runtime.context)
    return {"statements": drafts, "warnings": notices}


def _listed(source: GivenSource) -> str:
    """Writes a source for the model: the sentence of its triple alone, or its passage with the title."""
    if source.triple is not None:
        return sentence_of(source.triple.subject, source.triple.relation, [source.triple.object])
    title = f"{source.passage.title}: " if source.passage.title else ""
    return f"{title}{source.passage.text}"
