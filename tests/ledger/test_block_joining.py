"""The scores of a long text are those of its blocks together."""

import pytest

from rarr.ledger.block_joining import BlockOutcome, block_state, join_blocks
from rarr.records import Scores
from rarr.state import State
from rarr.tools.text.blocks_and_sentences import Span
from rarr.tools.text.long_text import TextBlock

TEXT = "It is old.\nIt is red.\n"
WHOLE = Span(0, len(TEXT))


def judged_block(number: int, span: Span, intent: float | None) -> BlockOutcome:
    state: State = {
        **block_state(TEXT, None, number, span, ""),
        "scores": Scores(intent=intent),
        "judged": ([1.0], [1.0]),
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
