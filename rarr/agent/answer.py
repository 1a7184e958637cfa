"""Answers questions with citations: `Answerer`, the steps and the graph behind it, and the call `answer`.

find_triples (-> retrieve -> rerank) -> write_answer (-> check_statements)

Without a source of passages, nothing is retrieved. An answer that quotes its sources is not checked. A node
that fails ends the run: an answer without its sources would be no answer.
"""

from collections.abc import Callable, Sequence
from dataclasses import replace
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from rarr.agent.answer_sources import (
    graph_of,
    graph_sources,
    searches_graphs_alone,
    source_evidence,
    sources_of,
    text_of,
)
from rarr.agent.graph import Graph, metered
from rarr.agent.inputs import required_text
from rarr.agent.quoted_answer import quoted_answer
from rarr.agent.runs import RunOwner, revision_of, synchronous
from rarr.agent.statements import read_statements
from rarr.components import Components
from rarr.errors import RetrievalError
from rarr.ledger.card_report import is_relied_on
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
from rarr.records import Query, Report, Revision, Sentence
from rarr.records.answers import Answer, AnswerSource, CitedStatement, Statement, StatementDraft
from rarr.records.card import Card
from rarr.settings import Settings
from rarr.state import State, usable
from rarr.tools.concurrency import in_thread, work
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.text.wording import is_failure

_PASSAGES = 8  # passages of a corpus or the web for one question


async def find_triples(state: State, runtime: Runtime[Components]) -> State:
    """Finds the triples of the entities that the question names, and makes the query for passages."""
    components, question = runtime.context, state["original"]
    source = graph_of(components)
    query = Query(id="q1", text=question, start=0, end=0)
    update: State = {"queries": [] if source and searches_graphs_alone(components) else [query]}
    if source is None:
        return update
    async with meter().in_time():
        return {**update, **await graph_sources(source, question)}


async def write_answer(state: State, runtime: Runtime[Components]) -> State:
    """Lets the language model write the statements; without one, quotes the sources.

    Raises `RetrievalError` if the passages could not be ranked, and what the model raises.
    """
    of_ranking = [each for each in state["warnings"] if each.node == "rerank"]
    if failed := next(filter(is_failure, of_ranking), None):
        raise RetrievalError(failed.message)
    found, writer = await work(sources_of, state), runtime.context.answer_writer
    if writer is None:
        return {"statements": await work(quoted_answer, state["original"], found, state.get("subjects", {}))}
    return {"written": list(await writer.write(state["original"], [_listed(it) for it in found]))}


async def check_statements(state: State, runtime: Runtime[Components]) -> State:
    """Has the sentences of the written statements read as cards beside all sources.

    A statement is supported if code relies on the card of each of its sentences that states something: which
    these are, only a language model tells. It cites what its cards quote; other citations are refused.
    """
    found, components = await work(sources_of, state), runtime.context
    texts = [" ".join(statement.text.split()) for statement in state["written"]]
    evidence = [source_evidence(source) for source in found]
    read = await read_statements(texts, "\n\n", state["original"], evidence, components)
    may_skip = components.card_reader is not None and components.card_reader.is_model
    drafts = [
        _draft(text, statement, cards, len(found), may_skip=may_skip)
        for text, statement, cards in zip(texts, state["written"], read.cards, strict=True)
    ]
    return {"statements": drafts, "warnings": read.notices, "controls": [read.controls]}


def _listed(source: AnswerSource) -> str:
    """Writes a source for the model: the sentence of its triple alone, or its passage with the title."""
    is_titled = source.triple is None and source.passage.title
    return f"{source.passage.title}: {text_of(source)}" if is_titled else text_of(source)


def _draft(
    text: str, statement: CitedStatement, cards: Sequence[Card], sources: int, *, may_skip: bool
) -> StatementDraft:
    """Makes the checked statement of its cards.

    A statement that lacks support keeps the citations that it was written with and that its cards quote for
    a part of it; where it was written without any, nothing is added.
    """
    written = dict.fromkeys(statement.citations)
    quoted = dict.fromkeys(
        _number(quote.evidence_id) for card in cards for quote in card.quotes if quote.side == "for"
    )
    relied = {_number(name) for card in cards if is_relied_on(card) for name in card.cited}
    citations = [number for number in quoted if number in relied or number in written]
    stating = [card for card in cards if not may_skip or card.verdict != "none" or card.unreliable]
    lacks = not cards or not all(is_relied_on(card) for card in stating)
    known = range(1, sources + 1)
    fault = {True: "the check does not quote it", False: "there is no such source"}
    refused = [f"[{number}]: {fault[number in known]}" for number in written if number not in citations]
    return StatementDraft(
        text=text,
        citations=tuple(citations),
        needs_support=lacks or (statement.needs_support and not citations),
        refused=tuple(refused),
        unjudged=sources > 0 and any(card.verdict is None for card in cards),
        written=tuple(written),
    )


def _number(evidence_id: str) -> int:
    """Returns the number of the source that `source_evidence` made this evidence of."""
    return int(evidence_id.removeprefix("s").partition(".")[0])


def build_answering_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> Graph:
    """Builds and compiles the whole pipeline. Each run passes the components of its nodes as its context."""
    graph = StateGraph(State, context_schema=Components)
    for node in (find_triples, retrieve, rerank, write_answer, check_statements):
        graph.add_node(node.__name__, metered(node.__name__, node))
    graph.add_edge(START, "find_triples")
    graph.add_conditional_edges("find_triples", after_triples, ["retrieve", "write_answer"])
    graph.add_edge("retrieve", "rerank")
    graph.add_edge("rerank", "write_answer")
    graph.add_conditional_edges("write_answer", after_writing, ["check_statements", END])
    graph.add_edge("check_statements", END)
    # None would take over the checkpointer of a graph in whose node the run is.
    return graph.compile(checkpointer=checkpointer or False)


def after_triples(state: State) -> list[Send] | str:
    """Routes the query to retrieve; names write_answer where only a graph is searched."""
    return [Send("retrieve", {"query": query}) for query in state["queries"]] or "write_answer"


def after_writing(state: State) -> str:
    """Names check_statements for written statements, and END for those that quote their sources."""
    return "check_statements" if "written" in state else END


def answer_of(run_id: str, state: State, meter: Meter) -> tuple[Answer, Revision]:
    """Builds the answer of a run that is done, and its research, which has the status of each statement.

    The statements are joined to a text, and the cited sources numbered anew, in the order of the text.
    """
    drafts, by_number = state.get("statements", []), {each.number: each for each in sources_of(state)}
    order = list(dict.fromkeys(number for draft in drafts for number in draft.citations))
    numbers = {number: new for new, number in enumerate(order, start=1)}
    ids = {(each.source, each.start, each.end): each.id for each in usable(state)}
    statements, sentences, position = list[Statement](), list[Sentence](), 0
    for draft in drafts:
        written = draft.citations if draft.written is None else draft.written
        cited = [by_number[number].passage for number in draft.citations]
        place = {"start": position, "end": position + len(draft.text)}
        position += len(draft.text) + 1
        statement = Statement(
            text=draft.text,
            status=draft.status,
            citations=tuple(sorted(numbers[number] for number in draft.citations)),
            needs_support=draft.needs_support,
            refused=draft.refused,
            written=len(written),
            existing=sum(number in by_number for number in written),
            **place,
        )
        found = (ids.get((each.source, each.start, each.end)) for each in cited)  # a triple is no evidence
        statements.append(statement)
        sentences.append(
            Sentence(text=draft.text, status=draft.status, evidence_ids=tuple(filter(None, found)), **place)
        )
    text = " ".join(draft.text for draft in drafts)
    report = Report(sentences=tuple(sentences))
    research = revision_of(run_id, {**state, "original": text, "text": text, "report": report}, meter)
    answer = Answer(
        question=state["original"],
        text=text,
        statements=tuple(statements),
        sources=tuple(by_number[number].model_copy(update={"number": numbers[number]}) for number in order),
        usage=research.usage,
        warnings=research.warnings,
        run_id=run_id,
    )
    return answer, research


class Answerer(RunOwner[Answer]):
    """Builds models, indexes and the graph once; answers any number of questions, also at the same time.

    Several graphs raise `InputError`.
    """

    def _wired(self, settings: Settings) -> Settings:
        # An answer is checked by cards, which the preset paper has not.
        return settings.model_copy(update={"preset": "default"})

    def _adapted(self, components: Components) -> Components:
        graph_of(components)
        used = components.settings
        names = ("evidence_per_query", "documents_per_query")
        more = {name: _PASSAGES for name in names if name not in used.model_fields_set}
        return replace(components, settings=used.model_copy(update=more))

    def _builder(self, components: Components) -> Callable[[Any], Any]:
        return build_answering_graph

    async def aanswer(self, question: str, *, run_id: str | None = None) -> Answer:
        """Does what `rarr.answer` does; `run_id` names the run.

        Raises `InputError` for an empty question, and a name that is not allowed or already used.
        """
        question = required_text(question, "question")
        run_id = await self._checkpoints.new(run_id)
        return (await self.arun(self._start(question, None), run_id))[0]

    answer = synchronous(aanswer)

    def _made(self, run_id: str, state: State, meter: Meter) -> tuple[Answer, Revision]:
        return answer_of(run_id, state, meter)

    def _with(self, outcome: Answer, research: Revision) -> Answer:
        return outcome.model_copy(update={"usage": research.usage, "warnings": research.warnings})


async def aanswer(question: str, **settings: Any) -> Answer:
    """Answers a question in statements, each with the triples or passages on which it rests.

    A statement that no source supports is marked as `[NA]`. `settings` are the fields of `Settings`, such as
    `graph="people.csv"` or `corpus="notes/"`. Without a language model in `model`, the statements are
    sentences of the sources. Raises `RetrievalError` if a source cannot be searched, and `ModelError` or
    `BudgetError` if the model cannot be asked.
    """
    async with await in_thread(lambda: Answerer(Settings(**settings))) as answerer:
        return await answerer.aanswer(question)


answer = synchronous(aanswer)
