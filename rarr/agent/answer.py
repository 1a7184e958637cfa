"""Answers questions with citations: the class `Answerer`, its nodes and graph, and the call `answer`.

find_triples (-> retrieve -> rerank) -> write_answer -> check_agreement

A triple is a fact of a knowledge graph: subject, relation and value. Passages are retrieved only if there is
a source of passages. If a node fails, the run ends with its error, because an answer must cite its sources.
"""

from collections.abc import Iterator, Sequence
from typing import Any

from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime

from rarr.agent.graph import Graph as AgentGraph, metered_node
from rarr.agent.inputs import required_text
from rarr.agent.runs import GraphRunner, RunResult, opened_runner, revision_of, synchronous
from rarr.agent.wiring.sources import sources_to_search
from rarr.components import Components
from rarr.errors import InputError, RetrievalError, SetupError
from rarr.ledger.card_report import card_sentences, disagreement_notices
from rarr.ledger.evidence_selection import evidence_of
from rarr.nodes.assemble import text_update
from rarr.nodes.check_agreement import check_agreement
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import queries_to_search, retrieve
from rarr.records import Evidence, Notice, Passage, Query, Report, Status
from rarr.records.citations import Answer, AnswerSource, CitedStatement, CitedTriple, Statement
from rarr.retrievers.corpus.index_words import content_stems
from rarr.retrievers.graph.graph import Graph
from rarr.retrievers.graph.triples import Triple, fact_text
from rarr.settings import Settings
from rarr.state import State, usable_evidence
from rarr.tools.concurrency import work
from rarr.tools.guard.injection import suspicion
from rarr.tools.models.run_budget import Meter, meter
from rarr.tools.text.blocks_and_sentences import sentences
from rarr.tools.text.wording import NO_RESULT, counted, is_failure, warning_lines

_MAX_PASSAGES = 8  # most passages of a corpus or the web for one question
_MAX_TRIPLES = 120  # most triples for one question
_GAP = "\n\n"  # between two statements in the text that is checked


async def find_triples(state: State, runtime: Runtime[Components]) -> State:
    """Finds triples about the entities in the question. Makes a query if other sources than graphs are set.

    If there are more than 120 triples, keeps the 120 that share most words with the question, and warns.
    """
    components, question = runtime.context, state["original"]
    graph, names = knowledge_graph_of(components), sources_to_search(components.settings)
    alone = all(each == "graph" or isinstance(each, Graph) for each in names)
    queries = [] if alone else [Query(id="q1", text=question, start=0, end=0)]
    async with meter().in_time():
        return {"queries": queries, "sources": await work(_triple_sources, graph, question) if graph else []}


def knowledge_graph_of(components: Components) -> Graph | None:
    """Returns the knowledge graph among the sources of the settings and of the caller; None if there is none.

    Raises `InputError` if there are several graphs: the same id may name different entities in two graphs.
    """
    given = (*components.opened, *sources_to_search(components.settings))
    graphs = list({id(it): it for it in given if isinstance(it, Graph)}.values())
    if len(graphs) > 1:
        raise InputError(f"{len(graphs)} graphs are given, and an answer takes one: join them in one file")
    return graphs[0] if graphs else None


def _triple_sources(graph: Graph, question: str) -> list[AnswerSource]:
    linked = graph.mentions_in(question)
    # An entity without own triples, such as a country, counts only if the question names no other entity.
    mentions = [it for it in linked if any(map(graph.triples_of, it.entities))] or linked
    sure = list(dict.fromkeys(it.entities[0] for it in mentions if len(it.entities) == 1))
    found = _choose_triples(graph, sure, frozenset(content_stems(question)))
    safe = [it for it in found if not suspicion(f"{it[0].relation}\n{it[0].object}")]
    if withheld := len(found) - len(safe):
        message = f"{counted(withheld, 'triple')} withheld: the text seems to speak to a model"
        meter().warn("suspicious_evidence", message)
    fields = CitedTriple.model_fields
    return [
        AnswerSource(number=n, passage=line, triple=CitedTriple(**dict(zip(fields, triple, strict=True))))
        for n, (triple, line) in enumerate(safe, start=1)
    ]


def _choose_triples(graph: Graph, ids: Sequence[str], wanted: frozenset[str]) -> list[tuple[Triple, Passage]]:
    """Returns triples about the entities `ids`, and about objects of triples that have a word of `wanted`."""
    found = [it for entity in ids for it in graph.triples_with_lines(entity)]
    found += [it for entity in ids for it in graph.triples_pointing_at(entity)]
    asked = wanted.difference(*(content_stems(graph.names[entity]) for entity in ids))
    values = dict.fromkeys(triple.object_id for triple, _ in found if _triple_words(triple) & asked)
    found += [it for value in values for it in graph.triples_with_lines(value)]
    lines = dict(found)
    if len(lines) > _MAX_TRIPLES:
        message = f"{len(lines):,} triples are about the names of the question: only {_MAX_TRIPLES} are used"
        meter().warn("graph_cut", f"{message}, first those that the question asks for")
    kept = set(sorted(lines, key=lambda triple: -len(_triple_words(triple) & wanted))[:_MAX_TRIPLES])
    return [it for it in lines.items() if it[0] in kept]


def _triple_words(triple: Triple) -> frozenset[str]:
    return frozenset(content_stems(f"{triple.relation} {fact_text('', triple.relation, [triple.object])}"))


async def write_answer(state: State, runtime: Runtime[Components]) -> State:
    """Asks the language model for the statements of the answer.

    The statements become the text of the run. All sources become evidence for each sentence of this text.
    Raises `RetrievalError` if the passages could not be ranked, and the errors of the model.
    """
    of_ranking = [each for each in state["warnings"] if each.node == "rerank"]
    if failed := next(filter(is_failure, of_ranking), None):
        raise RetrievalError(failed.message)
    found, writer = await work(_all_sources, state), runtime.context.answer_writer
    assert writer is not None  # an `Answerer` requires it
    titles = [it.passage.title if it.triple is None else "" for it in found]
    texts = map(_source_text, found)
    listed = [f"{title}: {it}" if title else it for title, it in zip(titles, texts, strict=True)]
    written = list(await writer.write(state["original"], listed))
    return {"sources": found, "written": written, **await work(_answer_update, state, written, found)}


def _all_sources(state: State) -> list[AnswerSource]:
    """Returns all sources that the run found, numbered from 1: first the triples, then the passages."""
    triples, fields = state.get("sources", []), set(Passage.model_fields)
    known = {(each.passage.source, each.passage.start) for each in triples}
    found = (it for it in usable_evidence(state) if (it.source, it.start) not in known)
    passages = enumerate((Passage(**it.model_dump(include=fields)) for it in found), start=len(triples) + 1)
    return [*triples, *(AnswerSource(number=number, passage=passage) for number, passage in passages)]


def _answer_update(state: State, written: Sequence[CitedStatement], found: Sequence[AnswerSource]) -> State:
    """Returns a state update: the joined statements as text, and `found` as evidence of each sentence."""
    text, evidence = _GAP.join(" ".join(it.text.split()) for it in written), list(map(_to_evidence, found))
    kept = {span: [passage.id for passage in evidence] for span in sentences(text)}
    withheld = [it for it in state.get("evidence", []) if it.suspicious]  # kept, but for no sentence
    return {**text_update(state, text, state["original"], kept), "evidence": [*evidence, *withheld]}


def _to_evidence(source: AnswerSource) -> Evidence:
    """Converts a source to evidence. The id is "s" and the number of the source, such as `s3`."""
    passage, text = source.passage, _source_text(source)
    own = {"text": text, "end": passage.start + len(text), "lead": ()} if source.triple else {}
    return evidence_of(passage.model_copy(update=own), f"s{source.number}", "q1")


def _source_text(source: AnswerSource) -> str:
    """Returns the text of a source: a sentence that states the triple, or the text of the passage."""
    if (triple := source.triple) is None:
        return source.passage.text
    return " ".join(fact_text(triple.subject, triple.relation, [triple.value]).split())


def _checked_statements(state: State, *, may_skip: bool) -> Iterator[Statement]:
    """Yields the statements of the model, each with a status. A card is a reader's judgement of a sentence.

    A statement is supported if the cards support all its sentences. The statement then cites the sources that
    the cards quote. Without support, the statement cites nothing. All other citations of the model are
    refused. With `may_skip`, sentences in which the reader finds nothing to check are ignored.
    """
    report, at, known = card_sentences(state), 0, {source.number for source in state["sources"]}
    for draft in state["written"]:
        text, written = " ".join(draft.text.split()), dict.fromkeys(draft.citations)
        own = [each for each in report if at <= each.start < at + len(text)]
        stating = [each for each in own if each.checkable or not may_skip]
        statuses = {each.status for each in stating}
        is_said = bool(own) and statuses <= {"supported"}
        cited = dict.fromkeys(int(name[1:]) for it in stating if is_said for name in it.evidence_ids)
        lacks = not is_said or (draft.needs_support and not cited)
        status: Status = "supported" if cited else "unconfirmed"
        if "contradicted" in statuses:
            status = "contradicted"
        elif not cited and (not lacks or (known and "unjudged" in statuses)):
            status = "unjudged"
        fault = {True: "the check does not rest on it", False: "there is no such source"}
        yield Statement(
            text=text,
            status=status,
            citations=tuple(cited),
            needs_support=lacks,
            refused=tuple(f"[{it}]: {fault[it in known]}" for it in written if it not in cited),
            written=len(written),
            existing=len(known.intersection(written)),
        )
        at += len(text) + len(_GAP)


def build_answering_graph() -> AgentGraph:
    """Builds the graph that answers questions. A run passes its `Components` as the context of the graph."""
    graph = StateGraph(State, context_schema=Components)
    nodes = (find_triples, retrieve, rerank, write_answer, check_agreement)
    first, *others = [(node.__name__, metered_node(node.__name__, node)) for node in nodes]
    graph.add_sequence([first]).add_edge(START, "find_triples")
    graph.add_conditional_edges("find_triples", route_after_triples, ["retrieve", "write_answer"])
    graph.add_sequence(others).add_edge("check_agreement", END)
    return graph


async def route_after_triples(state: State) -> str:
    """Returns the node after find_triples: "retrieve" if a query needs a search, else "write_answer"."""
    return "retrieve" if queries_to_search(state) else "write_answer"


class Answerer(GraphRunner[Answer]):
    """Answers any number of questions. Builds the models, indexes and the graph only once.

    Raises `SettingsError` if there is no language model, and `InputError` if there are two knowledge graphs.
    """

    _writer_nodes = ("write_answer",)

    def _adapt_settings(self, settings: Settings) -> Settings:
        names = {"evidence_per_query", "documents_per_query"} - settings.model_fields_set
        # Cards check an answer, and the preset `paper` has no cards.
        return settings.model_copy(update={"preset": "default", **dict.fromkeys(names, _MAX_PASSAGES)})

    def _adapt_components(self, components: Components) -> Components:
        if components.answer_writer is None:
            raise SetupError("these components have no writer of answers: give Components(answer_writer=...)")
        knowledge_graph_of(components)
        return components

    _build_graph = staticmethod(build_answering_graph)

    async def aanswer(self, question: str, *, run_id: str | None = None) -> Answer:
        """Answers one question from the sources, with citations. `run_id` names the run.

        Raises `InputError` for an empty question, and for a `run_id` that is not allowed or already used.
        """
        return await self._run_new_text(required_text(question, "question"), None, run_id)

    answer = synchronous(aanswer)

    def _first_state(self, state: State) -> State:
        return {**state, "context": None}

    def _make_result(self, run_id: str, state: State, meter: Meter) -> RunResult[Answer]:
        reader, statements, at = self._components.card_reader, list[Statement](), 0
        for draft in _checked_statements(state, may_skip=reader is not None and reader.is_model):
            statements.append(draft.model_copy(update={"start": at, "end": at + len(draft.text)}))
            at = statements[-1].end + 1
        text, read = " ".join(each.text for each in statements), state["text"]
        warnings = [*state["warnings"], *disagreement_notices(state)]
        warnings += unchecked_answer_notices(statements, [*warnings, *meter.warnings])
        whole: State = {**state, "original": read, "text": read, "warnings": warnings}
        research = revision_of(run_id, {**whole, "report": Report(sentences=card_sentences(state))}, meter)
        cited = {number for each in statements for number in each.citations}
        return research, lambda recorded: Answer(
            question=state["original"],
            text=text,
            statements=tuple(statements),
            sources=tuple(source for source in state["sources"] if source.number in cited),
            usage=recorded.usage,
            warnings=recorded.warnings,
            run_id=run_id,
        )


def unchecked_answer_notices(statements: Sequence[Statement], warnings: Sequence[Notice]) -> list[Notice]:
    """Makes a warning that tells why no statement could be checked.

    Returns [] if a statement was checked, or if no statement needs a check, such as "I cannot say.".
    """
    told = [it for it in warnings if is_failure(it) or it.code == "reader_unreliable"]
    unread = {"unjudged", *("unconfirmed" for it in told if it.code == "reader_unreliable")}
    statuses = {it.status for it in statements}
    if not statuses <= unread or (statements and not told and not any(it.needs_support for it in statements)):
        return []
    why = next(iter(warning_lines(told)), "no statement was judged")
    return [Notice(code=NO_RESULT, message=why, node="write_answer")]


async def aanswer(question: str, **settings: Any) -> Answer:
    """Answers a question in statements, each with the triples or passages that support it.

    A statement that no source supports gets the mark `[NA]`. `settings` are the fields of `Settings`, such as
    `graph="people.csv"` or `corpus="notes/"`. `model` must name a language model. Raises `RetrievalError` if
    a source cannot be searched, and `ModelError` or `BudgetError` if the model cannot be asked.
    """
    async with opened_runner(Answerer, settings) as answerer:
        return await answerer.aanswer(question)


answer = synchronous(aanswer)
