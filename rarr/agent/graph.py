"""The pipeline as a LangGraph graph: nodes, edges and routes.

generate_queries -> research, one branch a query: retrieve -> rerank
                 -> check_agreement (all branches at once) <-> edit -> attribute -> evaluate

An edit makes the checks on its sentence stale: they are asked again. Without queries, or after a failure that
leaves nothing to go on with, the run goes straight to attribute.
"""

import time
from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.graph.state import CompiledStateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from rarr.agent.components import Components
from rarr.agent.state import Branch, Findings, Spent, State, failure
from rarr.nodes.attribute import attribute
from rarr.nodes.check_agreement import check_agreement
from rarr.nodes.edit import edit
from rarr.nodes.evaluate import evaluate
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve

Node = Callable[[Any, Runtime[Components]], Awaitable[Any]]


def build_graph() -> CompiledStateGraph[State, Components, State, State]:
    """The whole pipeline. What a node may use comes with the run, as its context."""
    graph = StateGraph(State, context_schema=Components)
    _add(graph, generate_queries, on_failure="attribute")
    graph.add_node("research", build_research())
    _add(graph, check_agreement, on_failure="attribute")
    _add(graph, edit, on_failure="attribute")
    _add(graph, attribute, on_failure=END)
    _add(graph, evaluate, on_failure=END)
    graph.add_edge(START, "generate_queries")
    graph.add_conditional_edges("generate_queries", one_branch_a_query, ["research", "attribute"])
    graph.add_edge("research", "check_agreement")
    graph.add_edge("check_agreement", "edit")
    graph.add_conditional_edges("edit", ask_again_what_is_stale, ["check_agreement", "attribute"])
    graph.add_edge("attribute", "evaluate")
    graph.add_edge("evaluate", END)
    return graph.compile()


def build_research() -> CompiledStateGraph[Branch, Components, Branch, Findings]:
    """The research on one query."""
    graph = StateGraph(Branch, context_schema=Components, output_schema=Findings)
    _add(graph, retrieve, on_failure=END)
    _add(graph, rerank, on_failure=END)
    graph.add_edge(START, "retrieve")
    graph.add_edge("retrieve", "rerank")
    graph.add_edge("rerank", END)
    return graph.compile()


def one_branch_a_query(state: State) -> list[Send] | str:
    """All queries at once; with none there is nothing to research."""
    return [Send("research", {"query": query}) for query in state["queries"]] or "attribute"


def ask_again_what_is_stale(state: State) -> str:
    """An edit makes the checks on its sentence stale; each query is edited for once, so this ends."""
    fresh = {check.evidence_id for check in state["checks"] if not check.stale}
    return "attribute" if all(one.id in fresh for one in state["evidence"]) else "check_agreement"


def _add(graph: StateGraph[Any, Components, Any, Any], node: Node, *, on_failure: str) -> None:
    name = node.__name__
    # The overloads of add_node do not describe functions that are made by functions.
    graph.add_node(name, _timed(name, node), error_handler=_survive(name, on_failure))  # type: ignore[call-overload]


def _timed(name: str, node: Node) -> Node:
    async def timed(state: Any, runtime: Runtime[Components]) -> Any:
        started = time.perf_counter()
        update = await node(state, runtime)
        return {**update, "spent": [Spent(name, time.perf_counter() - started)]}

    return timed


def _survive(name: str, goto: str) -> Callable[..., Awaitable[Command[Any]]]:
    """A node that fails becomes a warning; the run goes on with what it has."""

    async def survive(state: Any, error: NodeError) -> Command[Any]:
        query = state.get("query")
        query_id = query.id if query else None
        notice = failure(name, f"{name} failed", error.error, query_id=query_id)
        return Command(update={"warnings": [notice]}, goto=goto)

    return survive
