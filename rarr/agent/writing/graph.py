"""Builds the pipeline that writes articles as a LangGraph graph: nodes, edges and routes.

ask_topic -> retrieve -> rerank -> plan -> retrieve, one branch a section -> rerank
          -> write_section, one branch a section (-> smooth) -> cite
          -> generate_queries -> reread -> check_agreement <-> edit -> cite

Without a plan, write_article writes all sections at once, from the passages of the topic. With an outline,
the topic itself is not searched for. The part after the first cite is that of the first graph: it researches
the sentences that no passage supports, in the passages that the article was written from, and edits them as
little as possible.
"""

from collections.abc import Hashable
from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from rarr.agent.graph import Graph, add_surviving, after_edits
from rarr.components import Components
from rarr.nodes.ask_topic import ask_topic
from rarr.nodes.check_agreement import check_agreement
from rarr.nodes.cite import cite
from rarr.nodes.edit import edit
from rarr.nodes.follow_up import follow_up
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.plan import plan
from rarr.nodes.rerank import rerank
from rarr.nodes.reread import reread
from rarr.nodes.retrieve import retrieve
from rarr.nodes.smooth import smooth
from rarr.nodes.write_article import write_article
from rarr.nodes.write_section import section_sources, write_section
from rarr.state import State


def build_writing_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> Graph:
    """Builds and compiles the whole pipeline. Each run passes the components of its nodes as its context."""
    graph = StateGraph(State, context_schema=Components)
    add_surviving(graph, ask_topic, on_failure="cite")
    add_surviving(graph, plan, on_failure="cite")
    add_surviving(graph, retrieve, on_failure="rerank")
    add_surviving(graph, rerank, on_failure="cite")
    add_surviving(graph, write_section, on_failure="smooth")
    add_surviving(graph, write_article, on_failure="cite")
    add_surviving(graph, smooth, on_failure="cite")
    add_surviving(graph, cite, on_failure=END)
    for node in (generate_queries, reread, check_agreement, edit, follow_up):
        add_surviving(graph, node, on_failure="cite")
    graph.add_edge(START, "ask_topic")
    graph.add_conditional_edges("ask_topic", after_topic, ["retrieve", "plan"])
    graph.add_edge("retrieve", "rerank")
    graph.add_conditional_edges("rerank", after_passages, ["plan", "write_article", "write_section", "cite"])
    graph.add_conditional_edges("plan", one_branch_per_section, ["retrieve"])
    graph.add_edge("write_section", "smooth")
    graph.add_edge("write_article", "smooth")
    graph.add_edge("smooth", "cite")
    graph.add_conditional_edges("cite", after_citing, ["generate_queries", END])
    graph.add_conditional_edges("generate_queries", after_questions, ["reread", "cite"])
    graph.add_edge("reread", "check_agreement")
    graph.add_edge("check_agreement", "edit")
    back: dict[Hashable, str] = {
        "follow_up": "follow_up",
        "check_agreement": "check_agreement",
        "attribute": "cite",
    }
    graph.add_conditional_edges("edit", after_edits, back)
    graph.add_conditional_edges("follow_up", after_edits, back)
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


def after_passages(state: State, runtime: Runtime[Components]) -> list[Send] | str:
    """Names plan or write_article for the passages of the topic; else routes each section to write_section.

    A section without passages is not written. Names cite if there is no other.
    """
    if state["round"] == 1:
        return "plan" if runtime.context.settings.plan else "write_article"
    queries = {query.id: query for query in state["queries"]}
    given = {name: state[name] for name in ("topic", "sections", "evidence")}
    branches = [
        Send("write_section", {"query": queries[source.section.query_id], **given})
        for source in section_sources(state)
        if source.chunks
    ]
    return branches or "cite"


def after_citing(state: State) -> str:
    """Names generate_queries if the node cite has listed sentences without support, otherwise END."""
    return "generate_queries" if state.get("lacking") else END


def after_questions(state: State) -> str:
    """Names reread if there are questions about the sentences that no passage supports, otherwise cite."""
    return "reread" if any(query.round == state["round"] for query in state["queries"]) else "cite"
