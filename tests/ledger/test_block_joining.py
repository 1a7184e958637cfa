"""The scores of a long text are those of its blocks together."""

import pytest
from makers import evidence

from rarr.ledger.block_joining import BlockOutcome, block_state, join_blocks
from rarr.records import Scores
from rarr.state import SentenceSupport, State
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.long_text_blocks import TextBlock

TEXT = "It is old.\nIt is red.\n"
WHOLE = Span(0, len(TEXT))


def judged_block(number: int, span: Span, intent: float | None) -> BlockOutcome:
    state: State = {
        **block_state(TEXT, None, number, span, ""),
        "scores": Scores(intent=intent),
        "judged": ([SentenceSupport(span, {"q1.1": 1.0}, searched=True)],) * 2,
    }
    return BlockOutcome(TextBlock(number, span, "", (span,)), state)


@pytest.mark.parametrize(
    ("intents", "joined"),
    [
        ((1.0, 1.0), 1.0),
        ((0.9, 0.3), 0.3),
        ((0.9, None), None),
        ((0.0, None), 0.0),
        ((None, None), None),
    ],
)
def test_intent_is_that_of_the_block_that_keeps_it_least(
    intents: tuple[float | None, float | None], joined: float | None
) -> None:
    spans = (Span(0, 11), Span(11, len(TEXT)))
    outcomes = [judged_block(n, *pair) for n, pair in enumerate(zip(spans, intents, strict=True), start=1)]
    whole = join_blocks(block_state(TEXT, None, 0, WHOLE, ""), outcomes, 5)
    assert whole["scores"].intent == joined


def test_sentences_of_an_unreached_block_count_0_in_the_attribution_of_the_whole_text() -> None:
    found = evidence(id="q1.1")
    block = judged_block(1, Span(0, 11), None)
    assert block.state is not None
    reached = BlockOutcome(block.block, {**block.state, "evidence": [found]})
    unreached = BlockOutcome(TextBlock(2, Span(11, len(TEXT)), "", (Span(11, 21),)), None)
    whole = join_blocks(block_state(TEXT, None, 0, WHOLE, ""), [reached, unreached], 5)
    scores = whole["scores"]
    assert whole["report"].evidence_ids == ("q1.1",)
    assert (scores.attribution_after, scores.attribution_all_evidence_after) == (0.5, 0.5)
