"""Builds the pipeline that answers questions as a LangGraph graph.

find_triples (-> retrieve -> rerank) -> write_answer (-> check_statements)

Without a source of passages, nothing is retrieved. An answer that quotes its sources is not checked. A node
that fails ends the run: an answer without its sources would be no answer.
"""

from typing import Any

from langgraph.checkpoint.base import BaseCheckpointSaver
from langgraph.graph import END, START, StateGraph
from langgraph.types import Send

from rarr.agent.answering.answering_nodes import check_statements, find_triples, write_answer
from rarr.agent.graph import Graph, metered
from rarr.components import Components
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
from rarr.state import State


def build_answering_graph(checkpointer: BaseCheckpointSaver[Any] | None = None) -> Graph:
    """Builds and compiles the whole pipeline. Each run passes the components of its nodes as its context."""
    graph = StateGraph(State, context_schema=Components)
    for node in (find_triples, retrieve, rerank, write_answer, check_statements):
        # The overloads of add_node do not describe functions that are made by functions.
        graph.add_node(node.__name__, metered(node.__name__, node))  # type: ignore[call-overload]
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
