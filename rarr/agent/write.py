"""Writes articles with citations: `Writer`, the graph behind it, and the call `write`.

retrieve -> rerank -> plan -> retrieve, one branch a section -> rerank
          -> write_section, one branch a section -> cite

With an outline, the topic itself is not searched for. The node cite reads the sentences of the article as
cards, beside the passages that they were written from: it edits what these passages contradict, and cites
what they support.
"""

import re
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from rarr.agent.graph import Graph, add_surviving
from rarr.agent.inputs import required_text
from rarr.agent.marks import cited_text, planned_citations
from rarr.agent.runs import RunOwner, Saver, built, revision_of, synchronous
from rarr.components import Components
from rarr.errors import InputError
from rarr.ledger.article_text import ArticleText, article_text, gap
from rarr.ledger.scores import citation_scores
from rarr.ledger.sentence_support import moved_place
from rarr.nodes.cite import cite
from rarr.nodes.plan import MAX_SECTIONS, plan
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
from rarr.nodes.write_section import section_sources, write_section
from rarr.records import Notice, Query, Report, Revision, Sentence
from rarr.records.articles import Article, ArticleSection, WrittenSentence
from rarr.retrievers.combined import DocumentChunks
from rarr.state import State
from rarr.tools.models.run_budget import Meter
from rarr.tools.text.section_headings import clean_headings

CHUNK_WORDS = 256
"""The most words of a passage that a section is written from, as in WikiGenBench (Zhang et al. 2024)."""
CHUNKS = 5
"""The passages of a section."""

_WORD = re.compile(r"\w+")

Outline = str | Sequence[str]
"""The headings of an article: a list, or a text with one heading a line."""


def build_writing_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> Graph:
    """Builds and compiles the whole pipeline. Each run passes the components of its nodes as its context."""
    graph = StateGraph(State, context_schema=Components)
    for node in (plan, rerank, write_section):
        add_surviving(graph, node, on_failure="cite")
    add_surviving(graph, retrieve, on_failure="rerank")
    add_surviving(graph, cite, on_failure=END)
    graph.add_conditional_edges(START, after_topic, ["retrieve", "plan"])
    graph.add_edge("retrieve", "rerank")
    graph.add_conditional_edges("rerank", after_passages, ["plan", "write_section", "cite"])
    graph.add_conditional_edges("plan", one_branch_per_section, ["retrieve"])
    graph.add_edge("write_section", "cite")
    graph.add_edge("cite", END)
    # None would take over the checkpointer of a graph in whose node the run is.
    return graph.compile(checkpointer=checkpointer or False)


def after_topic(state: State) -> list[Send] | str:
    """Routes the query of the topic to retrieve; with an outline, names plan, which needs no passages."""
    if state["outline"] is not None:
        return "plan"
    return [Send("retrieve", {"query": query}) for query in state["queries"]]


def one_branch_per_section(state: State) -> list[Send]:
    """Routes the query of each section to its own retrieve."""
    return [Send("retrieve", {"query": query}) for query in state["queries"] if query.round == state["round"]]


def after_passages(state: State) -> list[Send] | str:
    """Names plan for the passages of the topic; else routes each section to write_section.

    A section without passages is not written. Names cite if there is no other.
    """
    if state["round"] == 1:
        return "plan"
    queries = {query.id: query for query in state["queries"]}
    given = {name: state[name] for name in ("topic", "sections", "evidence", "kept") if name in state}
    branches = [
        Send("write_section", {"query": queries[source.section.query_id], **given})
        for source in section_sources(state)
        if source.chunks
    ]
    return branches or "cite"


class Writer(RunOwner[Article]):
    """Builds models, indexes and the graph once; writes any number of articles, also at the same time."""

    def _adapted(self, components: Components) -> Components:
        """Has the retriever find passages of at most `CHUNK_WORDS` words, and `CHUNKS` kept for a section."""
        if components.rewriter is not None:
            raise InputError("components with a rewriter change the text: write with the usual components")
        if components.card_reader is None:
            raise InputError("articles are checked by cards, and the preset paper has none: leave it out")
        if isinstance(components.retriever, DocumentChunks):
            return components
        settings = components.settings.model_copy(update={"evidence_per_query": CHUNKS})
        chunks = DocumentChunks(components.retriever, components.opened, CHUNK_WORDS)
        return replace(components, settings=settings, retriever=chunks)

    def _graph(self, saver: Saver | None) -> Graph:
        return build_writing_graph(saver)

    async def awrite(
        self, topic: str, outline: Outline | None = None, *, run_id: str | None = None
    ) -> Article:
        """Writes an article about `topic` from the sources, with a checked citation behind each sentence.

        `outline` gives the headings of the sections; None: the sections are planned. `run_id` names the run.
        Raises `InputError` for an empty topic, an outline without a heading or with too many, and a name that
        is not allowed or already used. All later failures become warnings.
        """
        topic = " ".join(required_text(topic, "topic").split())
        context = None if outline is None else _headings(outline, topic)
        run_id = await self._checkpoints.new(run_id)
        return (await self.arun(self._start(topic, context), run_id))[0]

    write = synchronous(awrite)

    def _first(self, state: State) -> State:
        topic, outline = state.get("topic", state["original"]), state.get("outline", state["context"])
        return State(original=topic, text=topic, context=outline, round=1, warnings=[])

    async def _walk(self, start: State, run_id: str, *, resumed: bool) -> State:
        """Moves topic and outline to their keys, and makes the query of the topic, which has no place."""
        topic, outline = start["original"], start["context"]
        query = Query(id="q1", text=topic, start=0, end=0)
        begun: State = {**start, "topic": topic, "outline": outline, "context": None, "queries": [query]}
        return await super()._walk(begun, run_id, resumed=resumed)

    def _made(self, run_id: str, state: State, meter: Meter) -> tuple[Article, Revision]:
        """Builds the article of a run that is done, or that stopped at a limit, and its research.

        Sentences that were not judged have no citation. Each section without a text is named in a warning.
        """
        written = article_text(state)
        text = state["text"] if "sentences" in state else written.text
        sentences = state.get("sentences") or [
            WrittenSentence(section_id=section.id, start=span.start, end=span.end)
            for span, section, _ in written.sentences
        ]
        sections = _sections(state, written)
        gaps = [
            Notice(code="section_missing", message=f"section {name!r}: {reason}", node="write_section")
            for name, reason in ((it.heading, it.reason) for it in sections)
            if reason
        ]
        facts = {"start", "end", "status", "evidence_ids"}
        reported = [
            Sentence(text=text[it.start : it.end], **it.model_dump(include=facts)) for it in sentences
        ]
        whole: State = {**state, "original": written.text, "text": text}
        whole |= {"warnings": [*state["warnings"], *gaps], "report": Report(sentences=tuple(reported))}
        research = revision_of(run_id, whole, meter)
        # A footnote stands behind each supported sentence, and a mark behind other judged ones.
        plain = research.model_copy(update={"original": text, "edits": (), "changed": False})
        lacking = [it for it in research.report.sentences if it.status in ("unconfirmed", "contradicted")]
        cited = cited_text(plain, planned_citations(plain, ()), lacking, footnotes=True)
        words = [len(_WORD.findall(sentence.text)) for sentence in reported]
        entailed = [tuple(citation.entails for citation in it.written) for it in sentences]
        checked = [(None,) if it.status == "unjudged" else (True,) * len(it.evidence_ids) for it in sentences]
        article = Article(
            run_id=run_id,
            topic=state.get("topic", state["original"]),
            text=cited.text,
            sections=tuple(sections),
            sentences=tuple(sentences),
            citations=cited.citations,
            unsupported=cited.unsupported,
            sources=cited.sources,
            as_written=citation_scores(entailed, words),
            checked=citation_scores(checked, words),
            words=sum(words),
            research=research,
        )
        return article, research

    def _with(self, outcome: Article, research: Revision) -> Article:
        return outcome.model_copy(update={"research": research})


async def awrite(topic: str, outline: Outline | None = None, **settings: Any) -> Article:
    """Writes one article. `settings` are the fields of `Settings`, such as `corpus="notes/"`."""
    async with built(Writer, settings) as writer:
        return await writer.awrite(topic, outline)


write = synchronous(awrite)


def _headings(outline: Outline, topic: str) -> str:
    """Returns the headings, one a line. Raises `InputError` if there is none, or too many."""
    lines = outline.splitlines() if isinstance(outline, str) else list(outline)
    if not all(isinstance(line, str) for line in lines):
        raise InputError("outline is no list of headings: give texts, such as ['History', 'Design']")
    headings = clean_headings(lines, topic)
    if not 1 <= len(headings) <= MAX_SECTIONS:
        raise InputError(f"the outline has {len(headings)} headings of sections: give 1 to {MAX_SECTIONS}")
    return "\n".join(headings)


def _sections(state: State, written: ArticleText) -> list[ArticleSection]:
    """Makes the sections, with their places in the text after the edits."""
    edits, sections = [edit for edit in state.get("edits", []) if edit.accepted], list[ArticleSection]()
    for section in state.get("sections", []):
        kind, reason = gap(state, section)
        place = moved_place(written.places[section.id], edits)._asdict()
        facts = {"id": section.id, "heading": section.heading}
        sections.append(ArticleSection(state=kind, reason=reason, **facts, **place))
    return sections
