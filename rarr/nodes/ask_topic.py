"""Step 1 of writing: makes the topic of an article the first query."""

from langgraph.runtime import Runtime

from rarr.components import Components
from rarr.records import Query
from rarr.state import State


async def ask_topic(state: State, runtime: Runtime[Components]) -> State:
    """Moves topic and outline to their keys, and makes the query of the topic.

    The query has no place in a text, since there is none yet.
    """
    topic = state["original"]
    return {
        "topic": topic,
        "outline": state["context"],
        "context": None,
        "queries": [Query(id="q1", text=topic, start=0, end=0)],
        "round": 1,
    }
