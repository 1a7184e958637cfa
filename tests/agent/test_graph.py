"""The whole pipeline with scripted components: failures, rounds, and what is refused and counted."""

import asyncio
from collections import Counter
from collections.abc import Sequence
from typing import Any
from unittest.mock import AsyncMock

import pytest
from component_doubles import (
    ScriptedChecker,
    ScriptedEditor,
    ScriptedQueries,
    ScriptedReranker,
    ScriptedVerifier,
    scripted_components,
)
from makers import ASKED, FACT, TEXT, disagrees, query, statuses

from rarr.agent.graph import build_graph
from rarr.agent.revise import Reviser
from rarr.components import SearchTargets
from rarr.errors import InputError, RetrievalError
from rarr.records import Agreement, Passage, Query, Question
from rarr.settings import Settings
from rarr.state import for_each_query
from rarr.testing import InMemoryRetriever

DOWN = TimeoutError("no answer")
TWO = f"{TEXT} Denmark has 5 million people."
MANY = "How many people has Denmark?"
DANES = "Denmark has 6 million people."
NODES = {name for name in build_graph().nodes if not name.startswith("__")}


def reviser(on_step: Any = None, **changed: Any) -> Reviser:
    """Two queries; evidence contradicts the first claim, and the second where the text has it."""
    contradictions = {(ASKED, ""): disagrees(), (MANY, ""): disagrees("5 million", "6 million")}
    parts: dict[str, Any] = {
        "query_generator": ScriptedQueries([(ASKED, "Georgia"), (MANY, "5 million")]),
        "retriever": InMemoryRetriever({ASKED: [FACT], MANY: [DANES]}),
        "checker": ScriptedChecker(contradictions),
    }
    return Reviser(components=scripted_components(**(parts | changed)), on_step=on_step)


@pytest.mark.parametrize(("text", "message"), [(b"bytes", "a bytes, not a str"), (" \n\t", "empty: give")])
def test_texts_that_cannot_be_revised(text: Any, message: str) -> None:
    with pytest.raises(InputError, match=f"^text is {message}"):
        reviser().revise(text)


FAILURES: list[tuple[str, Any, str, list[str]]] = [
    ("query_generator", ScriptedQueries(DOWN), "generate_queries_failed", ["unjudged"] * 2),
    ("retriever", InMemoryRetriever(DOWN), "retrieve_failed", ["retrieval_failed"] * 2),
    ("reranker", ScriptedReranker(DOWN), "rerank_failed", ["retrieval_failed"] * 2),
    ("checker", ScriptedChecker(DOWN), "check_failed", ["unconfirmed"] * 2),
    ("editor", ScriptedEditor(DOWN), "edit_failed", ["contradicted"] * 2),
]


@pytest.mark.parametrize(("part", "double", "code", "expected"), FAILURES, ids=[it[0] for it in FAILURES])
def test_failing_component_leaves_a_warning(part: str, double: Any, code: str, expected: Any) -> None:
    unsupportive = ScriptedVerifier(lambda sentence, evidence: 0.1)
    revision = reviser(**({"verifier": unsupportive} | {part: double})).revise(TWO)
    assert (revision.text, statuses(revision)) == (TWO, expected)
    assert code in {warning.code for warning in revision.warnings}
    assert all("no answer" in warning.message for warning in revision.warnings)


@pytest.mark.parametrize("failing", [ASKED, MANY])
def test_failed_search_concerns_only_its_own_sentence(failing: str) -> None:
    results: dict[str, list[Passage | str] | Exception] = {ASKED: [FACT], MANY: [DANES]}
    results[failing] = RetrievalError("the server is down")
    far = TWO.replace(". ", ". That is so. It really is. ", 1)  # so that no evidence bears on a neighbour
    revision = reviser(retriever=InMemoryRetriever(results)).revise(far)
    expected = {0: "supported", 3: "supported"} | {0 if failing == ASKED else 3: "retrieval_failed"}
    assert {index: statuses(revision)[index] for index in (0, 3)} == expected
    [warning] = revision.warnings
    assert (warning.query_id, warning.node) == ("q1" if failing == ASKED else "q2", "retrieve")
    assert warning.message == "retrieve failed: the server is down"


async def test_search_that_cancels_itself_fails_alone_and_a_cancelled_run_ends() -> None:
    cancelling: Any = AsyncMock(side_effect=asyncio.CancelledError)
    [outcome] = (await for_each_query("retrieve", [query()], cancelling)).values()
    assert str(outcome) == "it was cancelled"
    run = asyncio.ensure_future(for_each_query("retrieve", [query()], lambda _: asyncio.sleep(60)))
    await asyncio.sleep(0.01)
    run.cancel()
    with pytest.raises(asyncio.CancelledError):
        await run


async def test_searches_keep_the_order_of_the_queries_whichever_ends_first() -> None:
    names = ["q3", "q1", "q2"]

    async def search(asked: Query) -> str:
        await asyncio.sleep(int(asked.id[1:]) / 100)
        return asked.id

    found = await for_each_query("retrieve", [query(id=name) for name in names], search)
    assert [*found.items()] == [(name, name) for name in names]


@pytest.mark.slow
async def test_texts_revised_at_once_come_out_as_if_revised_in_turn() -> None:
    made, texts = reviser(), [f"{TEXT} Line {n} stays." if n % 3 else f"None of {n}." for n in range(30)]
    together = await asyncio.gather(*map(made.arevise, texts))
    for text, revision in zip(texts, together, strict=True):
        alone = await made.arevise(text)
        assert alone.model_copy(update={"run_id": revision.run_id, "usage": revision.usage}) == revision
    assert len({revision.run_id for revision in together}) == len(texts)


def test_usage_is_counted_by_node_and_each_step_is_told() -> None:
    steps: list[str] = []
    usage = reviser(steps.append).revise(TWO).usage
    calls = {node: spent.calls for node, spent in usage.by_node.items()}
    assert calls == Counter(steps)
    assert calls.keys() == NODES and calls["retrieve"] == 1
    assert all(0 <= spent.seconds <= usage.seconds * 2 for spent in usage.by_node.values())
    assert usage.seconds > 0


FIRST, SECOND, FIRM = "Who built it?", "Which firm built the bridge?", "Brandl & Sons built the bridge."


class NewQuestions(ScriptedQueries):
    """One that is never at a loss."""

    async def target(self, text: str, context: str | None, lacking: SearchTargets) -> Sequence[Question]:
        return [Question(text=f"And question {len(lacking.asked)}?", start=0, end=6)]


@pytest.mark.parametrize(
    ("rounds", "queries", "asked", "status"),
    [
        (2, ScriptedQueries([(FIRST, "Brandl")], later=[(SECOND, "Brandl")]), [FIRST, SECOND], "supported"),
        (9, NewQuestions([(FIRST, "Brandl")]), [FIRST, "And question 1?"], "no_evidence"),
    ],
    ids=["asks again", "ends"],
)
def test_rounds_ask_again_until_one_did_not_help(rounds: int, queries: Any, asked: Any, status: str) -> None:
    retriever = InMemoryRetriever({FIRST: [], SECOND: [FIRM]} if status == "supported" else ())
    checker = ScriptedChecker(lambda text, query, evidence: Agreement(verdict="agrees"))
    parts: dict[str, Any] = {"query_generator": queries, "retriever": retriever, "checker": checker}
    revision = reviser(settings=Settings(rounds=rounds), **parts).revise(FIRM)
    expected = [(f"q{n}", n, text) for n, text in enumerate(asked, start=1)]
    assert [(query.id, query.round, query.text) for query in revision.queries] == expected
    assert statuses(revision) == [status]
