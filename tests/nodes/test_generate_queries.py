"""Questions become numbered queries, each asked once."""

from collections.abc import Sequence

from component_doubles import ScriptedQueries
from makers import runtime, state

from rarr.components import SearchTargets
from rarr.nodes.generate_queries import generate_queries
from rarr.records import Query, Question
from rarr.tools.text.blocks_and_sentences import sentences

TWO = "Georgia grows peaches. It exports them."


async def test_queries_are_numbered_in_the_generators_order() -> None:
    asked = ScriptedQueries([("What is grown?", "peaches"), ("Which state?", "Georgia")])
    update = await generate_queries(state(), runtime(query_generator=asked))
    assert [(q.id, q.text, q.start, q.end) for q in update["queries"]] == [
        ("q1", "What is grown?", 23, 30),
        ("q2", "Which state?", 0, 7),
    ]


async def test_a_later_round_names_the_questions_about_its_sentences_alone() -> None:
    seen: list[SearchTargets] = []

    class Asking(ScriptedQueries):
        async def target(self, text: str, context: str | None, lacking: SearchTargets) -> Sequence[Question]:
            seen.append(lacking)
            return []

    first, second = sentences(TWO)
    before = state(text=TWO, round=2, lacking=[second])
    before["queries"] = [
        Query(id=f"q{n}", text=f"Question {n}?", start=place.start, end=place.end)
        for n, place in enumerate((first, second), start=1)
    ]
    await generate_queries(before, runtime(query_generator=Asking()))
    assert [it.asked for it in seen] == [["Question 2?"]]
