"""Questions become numbered queries, each asked once."""

from unittest.mock import AsyncMock, Mock

from component_doubles import ScriptedQueries
from makers import query, runtime, state

from rarr.nodes.generate_queries import generate_queries
from rarr.tools.text.blocks_and_sentences import sentences

TWO = "Georgia grows peaches. It exports them."


async def test_queries_are_numbered_in_the_generators_order() -> None:
    asked = ScriptedQueries([("What is grown?", "peaches"), ("Which state?", "Georgia")])
    update = await generate_queries(state(), runtime(query_generator=asked))
    found = [(q.id, q.text, q.start, q.end) for q in update["queries"]]
    assert found == [("q1", "What is grown?", 23, 30), ("q2", "Which state?", 0, 7)]


async def test_a_later_round_names_the_questions_about_its_sentences_alone() -> None:
    generator = Mock(target=AsyncMock(return_value=[]))
    places = enumerate(sentences(TWO), start=1)
    queries = [query(*place, id=f"q{n}", text=f"Question {n}?") for n, place in places]
    before = state(TWO, queries=queries, round=2, lacking=sentences(TWO)[1:])
    await generate_queries(before, runtime(query_generator=generator))
    [(_, _, targets)] = [call.args for call in generator.target.await_args_list]
    assert targets.asked == ["Question 2?"]
