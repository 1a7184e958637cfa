"""The steps of answering that are no steps of revising: find triples, write the answer, check it."""

from typing import Protocol, runtime_checkable

from langgraph.runtime import Runtime

from rarr.agent.answering.question_sources import (
    graph_of,
    graph_sources,
    searches_graphs_alone,
    sources_of,
    text_of,
)
from rarr.agent.answering.quoted_answer import quoted_answer
from rarr.agent.answering.statement_cards import checked_statements, draft_statements
from rarr.components import Components
from rarr.errors import RetrievalError
from rarr.records import Query
from rarr.records.answers import AnswerSource
from rarr.state import State
from rarr.tools.concurrency import work
from rarr.tools.models.run_budget import meter
from rarr.tools.text.wording import is_failure


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
    source = graph_of(components)
    text = question if draft is None else f"{question}\n{draft}"
    query = Query(id="q1", text=text, start=0, end=0)
    update: State = {"queries": [] if source and searches_graphs_alone(components) else [query]}
    if source is None:
        return update
    async with meter().in_time():
        return {**update, **await graph_sources(source, question, draft or "")}


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
        return {"statements": await work(quoted_answer, state["original"], found, state.get("subjects", {}))}
    return {"written": list(await writer.write(state["original"], [_listed(it) for it in found]))}


async def check_statements(state: State, runtime: Runtime[Components]) -> State:
    """Has the written statements read as cards, and marks what no source says."""
    found = await work(sources_of, state)
    return await checked_statements(state["original"], state["written"], found, runtime.context)


def _listed(source: AnswerSource) -> str:
    """Writes a source for the model: the sentence of its triple alone, or its passage with the title."""
    is_titled = source.triple is None and source.passage.title
    return f"{source.passage.title}: {text_of(source)}" if is_titled else text_of(source)
