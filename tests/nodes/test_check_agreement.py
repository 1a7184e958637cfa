"""Each evidence is checked once on the current text; a failure to judge is no verdict."""

import asyncio
from collections.abc import Sequence
from unittest.mock import Mock

import pytest
from component_doubles import Double, ScriptedChecker
from makers import TEXT, disagrees, evidence, query, runtime, state

from rarr.components import RawReading, ReadingBlock
from rarr.nodes.check_agreement import check_agreement
from rarr.records import Passage, Query, Quote
from rarr.records.cards_and_edits import Card
from rarr.tools.text.blocks_and_sentences import sentences

PAIR = (evidence(), evidence("Peaches are fruit.", source="fruit.md", id="q1.2"))


async def test_evidence_is_checked_in_its_order_up_to_a_disagreement_and_a_failure_is_unknown() -> None:
    checker = ScriptedChecker(Mock(side_effect=[TimeoutError("no answer"), disagrees(), disagrees()]))
    before = state(queries=[query()], found=[*PAIR, evidence("More of it.", id="q1.3")])
    first = await check_agreement(before, runtime(checker=checker))
    found = [(check.evidence_id, check.verdict) for check in first["checks"]]
    assert found == [("q1.1", "unknown"), ("q1.2", "disagrees")]
    [warning] = first["warnings"]
    assert (warning.code, warning.node, warning.query_id) == ("check_failed", "check_agreement", "q1")
    assert "TimeoutError: no answer" in warning.message
    second = await check_agreement({**before, "checks": first["checks"]}, runtime(checker=checker))
    assert [call[3].id for call in checker.calls] == ["q1.1", "q1.2", "q1.3"]
    assert second["checks"][:2] == first["checks"]


class Reader(Double):
    """Awaits what its script returns, and has no card."""

    name, is_model = "reader", False

    async def read(self, block: ReadingBlock, **_: object) -> RawReading:
        await self.scripted(block)()
        return RawReading({})


async def test_passages_are_scored_while_a_reader_reads(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rarr.nodes.check_agreement.SENDING_S", 0)
    scored = asyncio.Event()

    class Scores:
        async def score(self, asked: str, passages: Sequence[Passage]) -> list[float]:
            scored.set()
            return [0.5 for _ in passages]

    async def until_scored() -> None:
        await scored.wait()
        await asyncio.sleep(0.1)

    other = query(id="q2", text="Another?")
    before = state(queries=[query(), other], found=PAIR, kept={"q1": ["q1.1"]})
    context = runtime(card_reader=Reader(until_scored), reranker=Scores())
    update = await asyncio.wait_for(check_agreement(before, context), 30)
    assert update["relevances"]["q2"] == {"q1.1": 0.5, "q1.2": 0.5}


@pytest.mark.parametrize(
    ("found", "read"), [(["q1.2", "q2.1"], ["q1.1", "q2.1"]), (["q1.2"], ["q1.1", "q1.2"]), ([], [])]
)
async def test_later_round_shows_new_evidence_and_what_was_cited(found: list[str], read: list[str]) -> None:
    first, later = query(), Query(id="q2", text="Another?", start=0, end=7, round=2)
    known = [*PAIR, evidence("Plums are fruit.", source="plums.md", id="q2.1")]
    quote = Quote(evidence_id="q1.1", start=0, end=6, text="Apples")
    [place] = sentences(TEXT)
    card = Card(**place._asdict(), verdict="open", quotes=(quote,), shown=("q1.1", "q1.2"))
    before = state(queries=[first, later], found=known, kept={"q2": found}, cards=[card], round=2)
    reader = Reader(lambda: asyncio.sleep(0))
    update = await check_agreement(before, runtime(card_reader=reader))
    excerpts = [excerpt for [block] in reader.calls for excerpt in block.excerpts]
    shown = {line.evidence_id for excerpt in excerpts for line in excerpt.lines}
    assert sorted(shown) == read
    assert update["cards"] == [card]
