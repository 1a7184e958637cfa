"""A run inside a node of another LangGraph graph keeps apart from that graph."""

from typing import TypedDict

import pytest
from langchain_core.runnables import RunnableConfig
from langgraph.checkpoint.memory import InMemorySaver
from langgraph.graph import END, START, StateGraph

from rarr import Reviser, Settings
from rarr.testing import InMemoryRetriever

pytestmark = pytest.mark.slow

FACT = "The Hoover Dam is 221 metres high."


class Answer(TypedDict):
    text: str


async def test_run_inside_a_node_keeps_apart_from_the_graph_around_it() -> None:
    reviser = Reviser(Settings(search=InMemoryRetriever([FACT]), trace=False))

    async def revise(state: Answer) -> Answer:
        return {"text": (await reviser.arevise(state["text"])).text}

    builder = StateGraph(Answer)
    builder.add_node("revise", revise)
    builder.add_edge(START, "revise")
    builder.add_edge("revise", END)
    saver = InMemorySaver()
    graph = builder.compile(checkpointer=saver)
    config = RunnableConfig(configurable={"thread_id": "outer"}, recursion_limit=3)
    result = await graph.ainvoke({"text": "The Hoover Dam is 212 metres high."}, config)
    assert result["text"] == FACT
    namespaces = {saved.config["configurable"]["checkpoint_ns"] for saved in saver.list(None)}
    assert namespaces == {""}
