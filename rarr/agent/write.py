"""Writes articles with citations: the class `Writer`, its graph, and the call `write`.

retrieve -> rerank -> plan -> retrieve -> rerank -> write_section -> assemble -> check_agreement -> edit

If the caller gives an outline (headings), the run begins at plan. The check compares each sentence with the
passages of its section. Contradicted sentences are edited, and supported sentences get citations.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.graph import END, START, StateGraph

from rarr.agent.cite import require_card_reader
from rarr.agent.graph import Graph, add_survivable_node
from rarr.agent.inputs import required_text
from rarr.agent.marks import cited_text, planned_citations
from rarr.agent.runs import GraphRunner, RunResult, opened_runner, revision_of, synchronous
from rarr.components import WRITING_NODES, Components
from rarr.errors import InputError, SetupError
from rarr.ledger.card_report import card_sentences, disagreement_notices, is_sure_support
from rarr.ledger.edit_gate import moved_place
from rarr.ledger.scores import citation_scores, unjudged_report
from rarr.nodes.assemble import DraftSentence, article_text, assemble
from rarr.nodes.check_agreement import check_agreement
from rarr.nodes.edit import edit
from rarr.nodes.plan import MAX_SECTIONS, plan
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
from rarr.nodes.write_section import section_sources, write_section
from rarr.records import Notice, Query, Report, Sentence, Status
from rarr.records.cards_and_edits import Card
from rarr.records.citations import Article, ArticleSection, WrittenCitation, WrittenSentence
from rarr.retrievers.combined import ChunkRetriever
from rarr.settings import Settings
from rarr.state import State, kept_evidence
from rarr.tools.models.run_budget import Meter
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.section_headings import clean_headings
from rarr.tools.text.wording import NO_RESULT, is_failure, warning_lines

CHUNK_WORDS = 256
"""The most words of a passage for the writer of a section, as in WikiGenBench (Zhang et al. 2024)."""
CHUNKS_PER_SECTION = 5
"""The most passages for the writer of a section."""

_WORD = re.compile(r"\w+")

Outline = str | Sequence[str]
"""The headings of an article: a list of headings, or a text with one heading in each line."""


def build_writing_graph() -> Graph:
    """Builds the graph that writes articles. A run passes its `Components` as the context of the graph."""
    graph = StateGraph(State, context_schema=Components)
    add_survivable_node(graph, retrieve, on_failure="rerank")
    for node in (plan, rerank, write_section):
        add_survivable_node(graph, node, on_failure="assemble")
    for checking in (assemble, check_agreement, edit):
        add_survivable_node(graph, checking, on_failure=END)
    graph.add_conditional_edges(START, route_topic, ["retrieve", "plan"])
    graph.add_edge("retrieve", "rerank")
    graph.add_conditional_edges("rerank", route_after_rerank, ["plan", "write_section", "assemble"])
    graph.add_edge("plan", "retrieve")
    graph.add_edge("write_section", "assemble")
    graph.add_edge("assemble", "check_agreement")
    graph.add_edge("check_agreement", "edit")
    graph.add_edge("edit", END)
    return graph


async def route_topic(state: State) -> str:
    """Returns the first node: "retrieve" (searches for the topic), or "plan" if there is an outline."""
    return "retrieve" if state["outline"] is None else "plan"


async def route_after_rerank(state: State) -> str:
    """Returns "plan" in round 1; later "write_section", or "assemble" if no section has passages."""
    if state["round"] == 1:
        return "plan"
    return "write_section" if any(it.chunks for it in section_sources(state)) else "assemble"


class Writer(GraphRunner[Article]):
    """Writes any number of articles, also at the same time. Builds models, indexes and graph only once."""

    _writer_nodes = WRITING_NODES

    def _adapt_settings(self, settings: Settings) -> Settings:
        return settings.model_copy(update={"evidence_per_query": CHUNKS_PER_SECTION})

    def _adapt_components(self, components: Components) -> Components:
        """Makes the retriever return passages of at most `CHUNK_WORDS` words."""
        require_card_reader(components)
        if lacking := [node for node in WRITING_NODES if node not in components.writers]:
            why = f"these components have no writer for {' and '.join(lacking)}"
            raise SetupError(f"{why}: give Components(writers=...)")
        chunks = ChunkRetriever(components.retriever, components.opened, CHUNK_WORDS)
        return replace(components, retriever=chunks)

    _build_graph = staticmethod(build_writing_graph)

    async def awrite(
        self, topic: str, outline: Outline | None = None, *, run_id: str | None = None
    ) -> Article:
        """Writes an article about `topic` from the sources, with checked citations behind its sentences.

        `outline` has the headings of the sections; if it is None, a model plans them. `run_id` names the
        run. Raises `InputError` for an empty topic, an outline with no headings or too many, and a `run_id`
        that is not allowed or already used. All later failures become warnings.
        """
        topic = " ".join(required_text(topic, "topic").split())
        return await self._run_new_text(topic, None if outline is None else _headings(outline, topic), run_id)

    write = synchronous(awrite)

    def _first_state(self, state: State) -> State:
        topic, outline = state.get("topic", state["original"]), state.get("outline", state["context"])
        return State(original=topic, text=topic, context=outline, round=1, warnings=[])

    async def _run_to_end(self, start: State, run_id: str, *, resumed: bool) -> State:
        """Runs the graph. Its state has `original` also as `topic`, `context` as `outline`, and a query."""
        topic, outline = start["original"], start["context"]
        query = Query(id="q1", text=topic, start=0, end=0)
        begun: State = {**start, "topic": topic, "outline": outline, "context": None, "queries": [query]}
        return await super()._run_to_end(begun, run_id, resumed=resumed)

    def _make_result(self, run_id: str, state: State, meter: Meter) -> RunResult[Article]:
        """Makes revision and article. Warns of sections without text. Cites only supported sentences."""
        written, cards = article_text(state), state.get("cards", [])
        text, edits = (state["text"], state["edits"]) if "edits" in state else (written.text, [])
        state, accepted = {**state, "text": text}, [edit for edit in edits if edit.accepted]
        sections, gaps = list[ArticleSection](), list[Notice]()
        for section in state.get("sections", []):
            kind, reason = written.gaps.get(section.id, ("written", ""))
            place = moved_place(written.places[section.id], accepted)
            facts = section.model_dump(include={"id", "heading"}) | place._asdict()
            sections.append(ArticleSection(state=kind, reason=reason, **facts))
            if reason:
                message = f"section {section.heading!r}: {reason}"
                gaps.append(Notice(code="section_missing", message=message, node="write_section"))
        if not written.sentences:
            unfound = "; ".join(it.message for it in gaps) or "no source was found"
            failed = warning_lines(filter(is_failure, [*state["warnings"], *meter.warnings]))
            why = [*failed, f"{unfound}: give sources about it, as with --corpus"][0]
            gaps.append(Notice(code=NO_RESULT, message=f"nothing is written: {why}", node="write_section"))
        report = unjudged_report(text, [each.span for each in written.sentences])
        if cards:
            starts = {card.start for card in cards}
            report = Report(sentences=tuple(it for it in card_sentences(state) if it.start in starts))
        warnings = [*state["warnings"], *disagreement_notices(state), *gaps]
        whole: State = {**state, "original": written.text, "report": report, "warnings": warnings}
        research = revision_of(run_id, whole, meter)
        places = [moved_place(each.span, accepted) for each in written.sentences]
        drafts = zip(written.sentences, places, strict=True)
        made = [_sentence(draft, place, state, report.sentences) for draft, place in drafts]
        # A supported sentence gets a footnote. A sentence that is judged, but not supported, gets a mark.
        plain = research.model_copy(update={"original": text, "edits": (), "changed": False})
        lacking = [it for it in report.sentences if it.status in ("unconfirmed", "contradicted")]
        cited = cited_text(plain, planned_citations(plain, ()), lacking, footnotes=True)
        words = [len(_WORD.findall(place.of(text))) for place in places]
        entailed = [tuple(citation.entails for citation in it.written) for it in made]
        checked = [(None,) if it.status == "unjudged" else (True,) * len(it.evidence_ids) for it in made]
        return research, lambda recorded: Article(
            run_id=run_id,
            topic=state.get("topic", state["original"]),
            text=cited.text,
            sections=tuple(sections),
            sentences=tuple(made),
            citations=cited.citations,
            unsupported=cited.unsupported,
            sources=cited.sources,
            as_written=citation_scores(entailed, words),
            checked=citation_scores(checked, words),
            words=sum(words),
            research=recorded,
        )


async def awrite(topic: str, outline: Outline | None = None, **settings: Any) -> Article:
    """Writes one article, as `Writer.awrite` does. `settings` are fields of `Settings`, such as `corpus`."""
    async with opened_runner(Writer, settings) as writer:
        return await writer.awrite(topic, outline)


write = synchronous(awrite)


def _headings(outline: Outline, topic: str) -> str:
    """Returns the headings of `outline`, one in each line. Raises `InputError` for no heading or over 10."""
    lines = outline.splitlines() if isinstance(outline, str) else list(outline)
    if not all(isinstance(line, str) for line in lines):
        raise InputError("outline is no list of headings: give texts, such as ['History', 'Design']")
    headings = clean_headings(lines, topic)
    if not 1 <= len(headings) <= MAX_SECTIONS:
        raise InputError(f"the outline has {len(headings)} headings of sections: give 1 to {MAX_SECTIONS}")
    return "\n".join(headings)


def _sentence(draft: DraftSentence, place: Span, state: State, found: Sequence[Sentence]) -> WrittenSentence:
    """Makes the record of the sentence at `place`: status, and citations before and after the check."""
    sentence = next((it for it in found if it.start < place.end and place.start < it.end), None)
    card = next((it for it in state.get("cards", []) if sentence and it.start == sentence.start), None)
    status: Status = sentence.status if sentence else "unjudged"
    quotes = sentence.quotes if sentence and status == "supported" else ()
    ids = [found.id for found in kept_evidence(state, draft.section.query_id)]
    return WrittenSentence(
        section_id=draft.section.id,
        **place._asdict(),
        written=tuple(_judged_citation(label, ids, card) for label in draft.labels),
        evidence_ids=tuple(dict.fromkeys(it.evidence_id for it in quotes if it.side == "for")),
        status=status,
    )


def _judged_citation(label: str, ids: Sequence[str], card: Card | None) -> WrittenCitation:
    """Judges a citation of the writer by the card (the reader's judgement) of its sentence."""
    name = ids[int(label) - 1] if 1 <= int(label) <= len(ids) else ""
    entails: bool | None = None if name else False
    if name and card is not None and card.verdict and not card.unreliable:
        entails = is_sure_support(card) and name in card.quoted_evidence_ids
    return WrittenCitation(label=label, evidence_id=name, entails=entails)
