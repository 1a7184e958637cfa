"""Builds the LangGraph graph that revises a text: its nodes, edges and routes.

generate_queries -> retrieve -> rerank -> check_agreement <-> edit -> attribute -> evaluate

A node is a step of the pipeline. A route returns the name of the next node. Routes are async, because
LangGraph runs other functions on a thread. In the preset `paper`, check_agreement and edit repeat until all
passages are checked. If sentences lack support after evaluate, another round begins at generate_queries.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command

from rarr.components import Components
from rarr.nodes.attribute import attribute
from rarr.nodes.baseline_rewrite import rewrite
from rarr.nodes.check_agreement import check_agreement, unchecked_evidence
from rarr.nodes.edit import edit
from rarr.nodes.evaluate import evaluate
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import queries_to_search, retrieve
from rarr.state import State, failure_notice
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import span, wait_for_saved_answers

Node = Callable[[Any, Runtime[Components]], Awaitable[Any]]
Graph = StateGraph[State, Components, State, State]


def build_graph(*, rewriting: bool = False) -> Graph:
    """Builds the graph that revises a text. A run passes its `Components` as the context of the graph.

    With `rewriting`, as in some baselines of evaluations, the node rewrite replaces check_agreement and edit.
    """
    graph = StateGraph(State, context_schema=Components)
    changing = (rewrite,) if rewriting else (check_agreement, edit)
    after_failure: dict[Node, str] = {retrieve: "rerank", attribute: END, evaluate: END}
    for node in (generate_queries, retrieve, rerank, *changing, attribute, evaluate):
        add_survivable_node(graph, node, on_failure=after_failure.get(node, "attribute"))
    graph.add_edge(START, "generate_queries")
    after_queries = ["retrieve", "rerank", "attribute", "evaluate"]
    graph.add_conditional_edges("generate_queries", route_queries, after_queries)
    graph.add_edge("retrieve", "rerank")
    graph.add_edge("rerank", changing[0].__name__)
    if rewriting:
        graph.add_edge("rewrite", "attribute")
    else:
        graph.add_edge("check_agreement", "edit")
        graph.add_conditional_edges("edit", route_after_edits, ["check_agreement", "attribute"])
    graph.add_edge("attribute", "evaluate")
    graph.add_conditional_edges("evaluate", route_after_evaluate, ["generate_queries", END])
    return graph


async def route_queries(state: State) -> str:
    """Returns the node after generate_queries: "retrieve", or "rerank" if no query needs a search.

    If this round has no queries, returns "attribute" in the first round, and "evaluate" in a later round.
    """
    if not any(query.round == state["round"] for query in state["queries"]):
        return "attribute" if state["round"] == 1 else "evaluate"
    return "retrieve" if queries_to_search(state) else "rerank"


async def route_after_edits(state: State) -> str:
    """Returns "check_agreement" if the preset `paper` has passages left to check, else "attribute"."""
    return "check_agreement" if "cards" not in state and unchecked_evidence(state) else "attribute"


async def route_after_evaluate(state: State) -> str:
    """Returns "generate_queries" if the state lists sentences for another round of research, else END."""
    return "generate_queries" if state.get("lacking") else END


def add_survivable_node(graph: StateGraph[Any, Any, Any, Any], node: Node, *, on_failure: str) -> None:
    """Adds `node` to the graph, and meters its calls. If `node` fails, the run continues at `on_failure`."""
    name = node.__name__
    graph.add_node(name, metered_node(name, node), error_handler=_failure_handler(name, on_failure))


def metered_node(name: str, node: Node) -> Callable[..., Awaitable[Any]]:
    """Wraps `node`: the meter of the run counts each call, and a span in the trace records each call.

    If the components have a replacement for the node, the wrapper calls the replacement. The wrapper adds the
    new warnings of the meter to the update of the state, under the key `told`.
    """

    async def metered(state: Any, runtime: Runtime[Components]) -> Any:
        with meter().step(name), span("node", name) as call:
            update = await runtime.context.replaced.get(name, node)(state, runtime)
            # A checkpoint stores the state, but not the meter. A resumed run needs the warnings.
            if warnings := meter().new_warnings():
                update = {**update, "told": warnings}
            call.body["update"] = update
        # LangGraph stores the checkpoint after this function. The trace must have the update before that.
        await wait_for_saved_answers()
        return update

    return metered


def _failure_handler(name: str, next_node: str) -> Callable[..., Awaitable[Command[Any]]]:
    """Makes the error handler of the node `name`. The handler adds a warning and goes on to `next_node`."""

    async def handle_failure(state: Any, error: NodeError) -> Command[Any]:
        update = {"warnings": [failure_notice(name, f"{name} failed", error.error)]}
        with span("failure", name) as failed:
            failed.body["update"] = update
        return Command(update=update, goto=next_node)

    return handle_failure
