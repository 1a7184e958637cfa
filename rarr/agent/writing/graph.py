"""Builds the pipeline that writes articles as a LangGraph graph: nodes, edges and routes.

ask_topic -> retrieve -> rerank -> plan -> retrieve, one branch a section -> rerank
          -> write_section, one branch a section -> cite

Without a plan, write_article writes all sections at once, from the passages of the topic. With an outline,
the topic itself is not searched for. The node cite reads the sentences of the article as cards, beside the
passages that they were written from: it edits what these passages contradict, and cites what they support.
"""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Send

from rarr.agent.graph import Graph, add_surviving
from rarr.components import Components
from rarr.nodes.ask_topic import ask_topic
from rarr.nodes.cite import cite
from rarr.nodes.plan import plan
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
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
    add_surviving(graph, write_section, on_failure="cite")
    add_surviving(graph, write_article, on_failure="cite")
    add_surviving(graph, cite, on_failure=END)
    graph.add_edge(START, "ask_topic")
    graph.add_conditional_edges("ask_topic", after_topic, ["retrieve", "plan"])
    graph.add_edge("retrieve", "rerank")
    graph.add_conditional_edges("rerank", after_passages, ["plan", "write_article", "write_section", "cite"])
    graph.add_conditional_edges("plan", one_branch_per_section, ["retrieve"])
    graph.add_edge("write_section", "cite")
    graph.add_edge("write_article", "cite")
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


def after_passages(state: State, runtime: Runtime[Components]) -> list[Send] | str:
    """Names plan or write_article for the passages of the topic; else routes each section to write_section.

    A section without passages is not written. Names cite if there is no other.
    """
    if state["round"] == 1:
        return "plan" if runtime.context.settings.plan else "write_article"
    queries = {query.id: query for query in state["queries"]}
    given = {name: state[name] for name in ("topic", "sections", "evidence", "kept") if name in state}
    branches = [
        Send("write_section", {"query": queries[source.section.query_id], **given})
        for source in section_sources(state)
        if source.chunks
    ]
    return branches or "cite"
