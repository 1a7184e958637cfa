"""The whole pipeline with scripted components: what each failure leaves behind, and what never changes."""

import asyncio
import random
from collections.abc import Sequence
from typing import Any

import pytest
from component_doubles import (
    ScriptedChecker,
    ScriptedEditor,
    ScriptedQueries,
    ScriptedReranker,
    ScriptedVerifier,
    scripted_components,
)
from makers import ASKED, FACT, TEXT, disagrees

from rarr.agent.revise import Reviser
from rarr.errors import RetrievalError
from rarr.records import Passage, Revision
from rarr.testing import InMemoryRetriever

DOWN = TimeoutError("no answer")
TWO = f"{TEXT} Denmark has 5 million people."
MANY = "How many people has Denmark?"
DANES = "Denmark has 6 million people."


def components(**changed: Any) -> Any:
    """Two queries; evidence contradicts the first claim, and the second where the text has it."""
    contradictions = {(ASKED, ""): disagrees(), (MANY, ""): disagrees("5 million", "6 million")}
    parts: dict[str, Any] = {
        "query_generator": ScriptedQueries([(ASKED, "Georgia"), (MANY, "5 million")]),
        "retriever": InMemoryRetriever({ASKED: [FACT], MANY: [DANES]}),
        "checker": ScriptedChecker(contradictions),
    }
    return scripted_components(**(parts | changed))


def revised(text: str = TWO, **changed: Any) -> Revision:
    return Reviser(components=components(**changed)).revise(text)


def statuses(revision: Revision) -> list[str]:
    return [sentence.status for sentence in revision.report.sentences]


FAILURES: list[tuple[str, Any, str, list[str]]] = [
    ("query_generator", ScriptedQueries(DOWN), "generate_queries_failed", ["unjudged"] * 2),
    ("retriever", InMemoryRetriever(DOWN), "retrieve_failed", ["retrieval_failed"] * 2),
    ("reranker", ScriptedReranker(DOWN), "rerank_failed", ["retrieval_failed"] * 2),
    ("checker", ScriptedChecker(DOWN), "check_failed", ["unconfirmed"] * 2),
    ("editor", ScriptedEditor(DOWN), "edit_failed", ["contradicted"] * 2),
]


@pytest.mark.parametrize(
    ("part", "double", "code", "expected"), FAILURES, ids=[failure[0] for failure in FAILURES]
)
def test_component_that_fails_leaves_a_warning_and_its_status(
    part: str, double: Any, code: str, expected: list[str]
) -> None:
    unsupportive = ScriptedVerifier(lambda sentence, evidence: 0.1)
    revision = revised(**({"verifier": unsupportive} | {part: double}))
    assert (revision.text, statuses(revision)) == (TWO, expected)
    assert code in {warning.code for warning in revision.warnings}
    assert all("no answer" in warning.message for warning in revision.warnings)


@pytest.mark.parametrize("failing", [ASKED, MANY])
def test_failed_search_concerns_only_its_own_sentence(failing: str) -> None:
    results: dict[str, list[Passage | str] | Exception] = {ASKED: [FACT], MANY: [DANES]}
    results[failing] = RetrievalError("the server is down")
    far = TWO.replace(". ", ". That is so. It really is. ", 1)  # so that no evidence bears on a neighbour
    revision = revised(far, retriever=InMemoryRetriever(results))
    expected = {0: "supported", 3: "supported"} | {0 if failing == ASKED else 3: "retrieval_failed"}
    assert {index: statuses(revision)[index] for index in (0, 3)} == expected
    [warning] = revision.warnings
    assert (warning.query_id, warning.node) == ("q1" if failing == ASKED else "q2", "retrieve")
    assert warning.message == "retrieve failed: the server is down"


class Shuffled(InMemoryRetriever):
    """Answers in any order."""

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        await asyncio.sleep(random.random() / 100)
        return await super().retrieve(query, k)


@pytest.mark.slow
def test_order_does_not_depend_on_which_search_answers_first() -> None:
    numbers = [str(1000 + n) for n in range(40)]
    results = {f"Which {n}?": [f"{n} is right.", f"{n} too"] for n in numbers}
    text = " ".join(f"It is {n} now." for n in numbers)
    asked = ScriptedQueries([(f"Which {n}?", n) for n in numbers])
    checker = ScriptedChecker(
        lambda text, query, evidence: disagrees(query.text[6:10], "1" + query.text[7:10])
    )
    first, second = (
        revised(text, query_generator=asked, checker=checker, retriever=Shuffled(results)) for _ in range(2)
    )
    assert [e.query_id for e in first.evidence] == [f"q{n}" for n in range(1, 41) for _ in range(2)]
    assert first.model_copy(update={"run_id": "", "usage": None}) == second.model_copy(
        update={"run_id": "", "usage": None}
    )
