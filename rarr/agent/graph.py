"""Builds the pipeline as a LangGraph graph: nodes, edges and routes, which are async to need no thread.

generate_queries -> retrieve, one branch a query -> rerank (all of them at once)
                 -> check_agreement (all pairs at once) <-> edit -> attribute -> evaluate

In the paper's order, one evidence after another is checked on the text as edited so far. Without
queries, or after a failure that leaves nothing to work with, the run goes straight to attribute. Another
round asks about sentences that still lack support.
"""

from collections.abc import Awaitable, Callable
from typing import Any

from langgraph.errors import NodeError
from langgraph.graph import END, START, StateGraph
from langgraph.runtime import Runtime
from langgraph.types import Command, Send

from rarr.components import Components
from rarr.nodes.attribute import attribute
from rarr.nodes.baseline_rewrite import rewrite
from rarr.nodes.check_agreement import check_agreement, unchecked
from rarr.nodes.edit import edit
from rarr.nodes.evaluate import evaluate
from rarr.nodes.generate_queries import generate_queries
from rarr.nodes.rerank import rerank
from rarr.nodes.retrieve import retrieve
from rarr.state import State, failure
from rarr.tools.models.run_budget import meter
from rarr.tools.trace_spans import span, wait_for_saved_answers

Node = Callable[[Any, Runtime[Components]], Awaitable[Any]]
Wrap = Callable[[str, Node], Callable[..., Awaitable[Any]]]
Graph = StateGraph[State, Components, State, State]

ON_FAILURE: dict[Node, str] = {
    **dict.fromkeys((generate_queries, rerank, check_agreement, edit, rewrite), "attribute"),
    retrieve: "rerank",
    attribute: END,
    evaluate: END,
}
"""Where the run goes on after the failure of a node."""


def build_graph(
    *,
    rewriting: bool = False,
    wrap: Wrap | None = None,
    context_schema: type[Any] = Components,
    input_schema: type[Any] = State,
) -> Graph:
    """Builds the whole pipeline. Each run passes the components of its nodes as its context.

    `rewriting`: the pipeline of a baseline, in which the node rewrite replaces checks and edits. `wrap` wraps
    each node for a context and an input of another schema; then a node that fails ends the run.
    """
    graph = StateGraph(State, context_schema=context_schema, input_schema=input_schema)
    changing = (rewrite,) if rewriting else (check_agreement, edit)
    for node in (generate_queries, retrieve, rerank, *changing, attribute, evaluate):
        add_surviving(graph, node, on_failure=ON_FAILURE[node], wrap=wrap)
    graph.add_edge(START, "generate_queries")
    after_queries = ["retrieve", "rerank", "attribute", "evaluate"]
    graph.add_conditional_edges("generate_queries", one_branch_per_query, after_queries)
    graph.add_edge("retrieve", "rerank")
    graph.add_edge("rerank", changing[0].__name__)
    if rewriting:
        graph.add_edge("rewrite", "attribute")
    else:
        graph.add_edge("check_agreement", "edit")
        graph.add_conditional_edges("edit", after_edits, ["check_agreement", "attribute"])
    graph.add_edge("attribute", "evaluate")
    graph.add_conditional_edges("evaluate", another_round, ["generate_queries", END])
    return graph


async def one_branch_per_query(state: State) -> list[Send] | str:
    """Routes each query of this round to its own retrieve; where nothing is searched, names rerank.

    Without queries, names attribute in the first round, and evaluate in later rounds.
    """
    asked = [query for query in state["queries"] if query.round == state["round"]]
    if not asked:
        return "attribute" if state["round"] == 1 else "evaluate"
    return [Send("retrieve", {"query": query}) for query in asked if query.searched] or "rerank"


async def after_edits(state: State) -> str:
    """Names check_agreement while evidence has no check, otherwise attribute. Cards are read once."""
    return "check_agreement" if "cards" not in state and unchecked(state) else "attribute"


async def another_round(state: State) -> str:
    """Names generate_queries if the node evaluate has listed sentences that lack support, otherwise END."""
    return "generate_queries" if state.get("lacking") else END


def add_surviving(
    graph: StateGraph[Any, Any, Any, Any], node: Node, *, on_failure: str, wrap: Wrap | None = None
) -> None:
    """Adds a node that is metered, and after whose failure the run goes on at `on_failure`."""
    name = node.__name__
    # The handler of a wrapped node would be shown as a node of the graph.
    handler = None if wrap else _survive(name, on_failure)
    graph.add_node(name, (wrap or metered)(name, node), error_handler=handler)


def metered(name: str, node: Node) -> Callable[..., Awaitable[Any]]:
    """Wraps a node: the run's meter counts its calls, and a span records each; the components may replace it.

    The update of the node gets the warnings of its components under `told`.
    """

    async def metered(state: Any, runtime: Runtime[Components]) -> Any:
        with meter().step(name), span("node", name, _branch(state)) as call:
            update = await runtime.context.replaced.get(name, node)(state, runtime)
            # Warnings go into the state, where a checkpoint keeps them: a meter ends with its process.
            if warnings := meter().new_warnings():
                update = {**update, "told": warnings}
            call.body["update"] = update
        # A trace must not lack the update of a node whose checkpoint is stored.
        await wait_for_saved_answers()
        return update

    return metered


def _survive(name: str, goto: str) -> Callable[..., Awaitable[Command[Any]]]:
    """Makes the handler that turns a failure into a warning, and then goes on at the node `goto`."""

    async def survive(state: Any, error: NodeError) -> Command[Any]:
        query_id = _branch(state)
        notice = failure(name, f"{name} failed", error.error, query_id=query_id or None)
        why = "cut" if notice.code == "budget_exhausted" else "failed"
        update = {"warnings": [notice], "unsearched": {query_id: why} if query_id else {}}
        with span("failure", name, query_id) as failed:
            failed.body["update"] = update
        return Command(update=update, goto=goto)

    return survive


def _branch(state: Any) -> str:
    """The id of the query that this branch is for; "" outside of the branches of retrieve."""
    query = state.get("query")
    return query.id if query else ""
