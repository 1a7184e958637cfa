"""Each evidence is checked once on the current text; a failure to judge is no verdict."""

import asyncio
from collections.abc import Sequence

import pytest
from component_doubles import ScriptedChecker
from makers import ASKED, disagrees, evidence, query, runtime, state

from rarr.components import RawReading
from rarr.nodes.check_agreement import check_agreement
from rarr.records import Agreement, Evidence, Passage, Query
from rarr.state import State

PAIR = (evidence(), evidence("Peaches are fruit.", id="q1.2"))


def asked(**more: object) -> State:
    return state(queries=[query()], found=PAIR, **more)  # type: ignore[arg-type]  # the keys of a state


async def test_evidence_is_checked_in_its_order_up_to_the_first_disagreement() -> None:
    checker = ScriptedChecker({(ASKED, "fruit"): disagrees(), (ASKED, ""): Agreement(verdict="irrelevant")})
    more = evidence("More of it.", id="q1.3")
    before = state(queries=[query()], found=[*PAIR, more])
    first = await check_agreement(before, runtime(checker=checker))
    assert [(c.evidence_id, c.verdict) for c in first["checks"]] == [
        ("q1.1", "irrelevant"),
        ("q1.2", "disagrees"),
    ]
    second = await check_agreement({**before, "checks": first["checks"]}, runtime(checker=checker))
    assert [call[3].id for call in checker.calls] == ["q1.1", "q1.2", "q1.3"]
    assert second["checks"][:2] == first["checks"]


async def test_failed_check_is_unknown_with_a_warning() -> None:
    def fails_for_the_first(text: str, query: Query, evidence: Evidence) -> Agreement:
        if evidence.id == "q1.1":
            raise TimeoutError("no answer")
        return Agreement(verdict="agrees")

    update = await check_agreement(asked(), runtime(checker=ScriptedChecker(fails_for_the_first)))
    assert [c.verdict for c in update["checks"]] == ["unknown", "agrees"]
    [warning] = update["warnings"]
    assert (warning.code, warning.node, warning.query_id) == ("check_failed", "check_agreement", "q1")
    assert "TimeoutError: no answer" in warning.message


async def test_passages_are_scored_while_a_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rarr.nodes.check_agreement.SENDING_S", 0)
    scored = asyncio.Event()

    class Scores:
        async def score(self, asked: str, passages: Sequence[Passage]) -> list[float]:
            scored.set()
            return [0.5 for _ in passages]

    class Reader:
        name, is_model = "reader", False

        async def read(self, *_: object, **__: object) -> RawReading:
            await scored.wait()
            await asyncio.sleep(0.1)
            return RawReading({})

    other = query(id="q2", text="Another?")
    before = state(queries=[query(), other], found=PAIR, kept={"q1": ["q1.1"]})
    context = runtime(card_reader=Reader(), reranker=Scores())
    update = await asyncio.wait_for(check_agreement(before, context), 30)
    assert update["relevances"]["q2"] == {"q1.1": 0.5, "q1.2": 0.5}
