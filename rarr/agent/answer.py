"""Answers questions with citations: `Answerer`, the steps and the graph behind it, and the call `answer`.

find_triples (-> retrieve -> rerank) -> write_answer (-> check_statements)

Without a source of passages, nothing is retrieved. An answer that quotes its sources is not checked. A node
that fails ends the run: an answer without its sources would be no answer.
"""

from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from rarr.agent.graph import Graph as CompiledGraph, metered
from rarr.agent.inputs import required_text
from rarr.agent.quoted_answer import quoted_answer, text_of
from rarr.agent.runs import RunOwner, Saver, revision_of, synchronous
from rarr.agent.statements import evidence_of, read_statements
from rarr.agent.wiring.sources import search_names
from rarr.components import Components
from rarr.errors import InputError, RetrievalError
from rarr.ledger.card_report import is_relied_on
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
from rarr.records import Evidence, Passage, Query, Report, Revision, Sentence
from rarr.records.answers import Answer, AnswerSource, CitedStatement, Statement
from rarr.records.card import Card
from rarr.retrievers.corpus.index_words import telling_stems
from rarr.retrievers.graph.graph import Graph, TriplePassage, warn_of_namesakes
from rarr.retrievers.graph.relations import sentence_of
from rarr.retrievers.graph.store import linked_names
from rarr.retrievers.graph.triples import Triple, cited_triple
from rarr.settings import Settings
from rarr.state import State, usable
from rarr.tools.concurrency import in_thread, work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.text.wording import counted, is_failure

_PASSAGES = 8  # passages of a corpus or the web for one question
_MOST = 120  # triples of an answer


async def find_triples(state: State, runtime: Runtime[Components]) -> State:
    """Finds the triples of the entities that the question names, and makes the query for passages.

    Of too many triples, those with most words of the question are kept, with a warning.
    """
    components, question = runtime.context, state["original"]
    graph = graph_of(components)
    names = search_names(components.settings)
    alone = graph and all(each == "graph" or isinstance(each, Graph) for each in names)
    queries = [] if alone else [Query(id="q1", text=question, start=0, end=0)]
    if graph is None:
        return {"queries": queries}
    async with meter().in_time():
        return {"queries": queries, **await work(_found, graph, question)}


def graph_of(components: Components) -> Graph | None:
    """Returns the graph among the sources of the settings and of the caller; None for none.

    Raises `InputError` for several: the same id may name other entities in another graph.
    """
    given = [getattr(components.retriever, "source", None), *components.opened]
    graphs = {id(it): it for it in (*given, *search_names(components.settings)) if isinstance(it, Graph)}
    if len(graphs) > 1:
        raise InputError(
            f"{len(graphs)} graphs are given, and an answer takes one: give one, or join them in one file"
        )
    return next(iter(graphs.values()), None)


def _found(graph: Graph, question: str) -> State:
    store, linked = graph.store, linked_names(graph.store, question)
    mentions = [it for it in linked if any(store.around(e) or store.pointing_at(e) for e in it.entities)]
    # A value such as a country is a subject only where no entity with triples of its own is named.
    mentions = [it for it in mentions if any(map(store.around, it.entities))] or mentions
    for mention in mentions:
        if len(mention.entities) > 1:
            warn_of_namesakes(mention)
    sure = list(dict.fromkeys(it.entities[0] for it in mentions if len(it.entities) == 1))
    found = _triples(graph, sure, frozenset(telling_stems(question)))
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
    """Chooses triples of the entities, of others that point at them, and of the values that are asked for."""
    found = [it for entity in entities for it in graph.triples(entity)]
    for entity in entities:
        found += graph.pointing_at(entity)
    asked = wanted.difference(*(telling_stems(graph.store.names[entity]) for entity in entities))
    values = dict.fromkeys(it.triple.object_id for it in found if _words(it.triple) & asked)
    found += [it for value in values for it in graph.triples(value)]
    by_triple = {each.triple: each for each in found}
    if len(by_triple) <= _MOST:
        return list(by_triple.values())
    message = f"{len(by_triple):,} triples are about the names of the question: only {_MOST} are used, first"
    meter().warn("graph_cut", f"{message} those that the question asks for")
    ranked = sorted(by_triple, key=lambda triple: -len(_words(triple) & wanted))
    kept = set(ranked[:_MOST])
    return [each for triple, each in by_triple.items() if triple in kept]


def _words(triple: Triple) -> frozenset[str]:
    said = sentence_of("", triple.relation, [triple.object])
    return frozenset(telling_stems(f"{triple.relation} {said}"))


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
    listed = [text_of(source) for source in found]
    for at, source in enumerate(found):
        if source.triple is None and source.passage.title:
            listed[at] = f"{source.passage.title}: {listed[at]}"
    return {"written": list(await writer.write(state["original"], listed))}


def sources_of(state: State) -> list[AnswerSource]:
    """Returns all sources that a run has found: triples first, then the passages."""
    triples, fields = state.get("triples", []), set(Passage.model_fields)
    known = {(each.passage.source, each.passage.start) for each in triples}
    found = [it for it in usable(state) if (it.source, it.start) not in known]
    passages = (Passage(**it.model_dump(include=fields)) for it in found)
    numbered = enumerate(passages, start=len(triples) + 1)
    return [*triples, *(AnswerSource(number=number, passage=passage) for number, passage in numbered)]


async def check_statements(state: State, runtime: Runtime[Components]) -> State:
    """Has the sentences of the written statements read as cards beside all sources.

    A statement is supported if code relies on the card of each of its sentences that states something: which
    these are, only a language model tells. It cites what its cards quote; other citations are refused.
    """
    found, components = await work(sources_of, state), runtime.context
    texts = [" ".join(statement.text.split()) for statement in state["written"]]
    evidence = [_evidence(source) for source in found]
    read = await read_statements(texts, "\n\n", state["original"], evidence, components)
    may_skip = components.card_reader is not None and components.card_reader.is_model
    statements = [
        _checked(text, statement, cards, len(found), may_skip=may_skip)
        for text, statement, cards in zip(texts, state["written"], read.cards, strict=True)
    ]
    return {"statements": statements, "warnings": read.notices, "controls": [read.controls]}


def _evidence(source: AnswerSource) -> Evidence:
    """Returns a source as evidence, whose id tells its number."""
    passage = source.passage
    if source.triple is not None:
        text = text_of(source)
        passage = passage.model_copy(update={"text": text, "end": passage.start + len(text), "lead": ()})
    return evidence_of(passage, f"s{source.number}", "q1")


def _number(evidence_id: str) -> int:
    """Returns the number of the source of which `_evidence` made this evidence."""
    return int(evidence_id.removeprefix("s").partition(".")[0])


def _checked(
    text: str, statement: CitedStatement, cards: Sequence[Card], sources: int, *, may_skip: bool
) -> Statement:
    """Makes the checked statement of its cards.

    A statement that lacks support keeps the citations that it was written with and that its cards quote for
    a part of it; where it was written without any, nothing is added.
    """
    written, known = dict.fromkeys(statement.citations), range(1, sources + 1)
    quotes = [quote for card in cards for quote in card.quotes if quote.side == "for"]
    relied = {_number(name) for card in cards if is_relied_on(card) for name in card.cited}
    quoted = dict.fromkeys(_number(quote.evidence_id) for quote in quotes)
    citations = [number for number in quoted if number in relied or number in written]
    stating = [card for card in cards if not may_skip or card.verdict != "none" or card.unreliable]
    lacks = not cards or not all(is_relied_on(card) for card in stating)
    lacks = lacks or (statement.needs_support and not citations)
    unjudged = not lacks or (sources > 0 and any(card.verdict is None for card in cards))
    fault = {True: "the check does not quote it", False: "there is no such source"}
    return Statement(
        text=text,
        status="supported" if citations and not lacks else "unjudged" if unjudged else "unconfirmed",
        citations=tuple(citations),
        needs_support=lacks,
        refused=tuple(f"[{it}]: {fault[it in known]}" for it in written if it not in citations),
        written=len(written),
        existing=sum(number in known for number in written),
    )


def build_answering_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> CompiledGraph:
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
        names = {"evidence_per_query", "documents_per_query"} - used.model_fields_set
        return replace(components, settings=used.model_copy(update=dict.fromkeys(names, _PASSAGES)))

    def _graph(self, saver: Saver | None) -> CompiledGraph:
        return build_answering_graph(saver)

    async def aanswer(self, question: str, *, run_id: str | None = None) -> Answer:
        """Does what `rarr.answer` does; `run_id` names the run.

        Raises `InputError` for an empty question, and a name that is not allowed or already used.
        """
        question = required_text(question, "question")
        run_id = await self._checkpoints.new(run_id)
        return (await self.arun(self._start(question, None), run_id))[0]

    answer = synchronous(aanswer)

    def _made(self, run_id: str, state: State, meter: Meter) -> tuple[Answer, Revision]:
        """Builds the answer of a run that is done, and its research, which has the status of each statement.

        The statements are joined to a text, and the cited sources numbered anew, in the order of the text.
        """
        drafts, by_number = state.get("statements", []), {each.number: each for each in sources_of(state)}
        order = list(dict.fromkeys(number for draft in drafts for number in draft.citations))
        numbers = {number: new for new, number in enumerate(order, start=1)}
        ids = {(each.source, each.start, each.end): each.id for each in usable(state)}
        statements, sentences, position = list[Statement](), list[Sentence](), 0
        for draft in drafts:
            place = {"start": position, "end": position + len(draft.text)}
            position += len(draft.text) + 1
            citations = tuple(sorted(numbers[number] for number in draft.citations))
            statements.append(draft.model_copy(update={"citations": citations, **place}))
            cited = [by_number[number].passage for number in draft.citations]
            found = [ids.get((it.source, it.start, it.end)) for it in cited]  # a triple is no evidence
            names = tuple(name for name in found if name)
            sentences.append(Sentence(text=draft.text, status=draft.status, evidence_ids=names, **place))
        text = " ".join(draft.text for draft in drafts)
        report = Report(sentences=tuple(sentences))
        research = revision_of(run_id, {**state, "original": text, "text": text, "report": report}, meter)
        answer = Answer(
            question=state["original"],
            text=text,
            statements=tuple(statements),
            sources=tuple(by_number[it].model_copy(update={"number": numbers[it]}) for it in order),
            usage=research.usage,
            warnings=research.warnings,
            run_id=run_id,
        )
        return answer, research

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
