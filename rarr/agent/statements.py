"""Reads statements beside passages: the path that claims and written answers share.

statements with their passages -> one text -> a card for each sentence -> the cards of each statement.
"""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.components import Components
from rarr.ledger.card_reading import Kept, read_cards
from rarr.records import Evidence, Notice
from rarr.records.card import Card, Place
from rarr.records.usage import Controls
from rarr.state import State
from rarr.tools.concurrency import work
from rarr.tools.text.blocks_and_sentences import Span, sentences


class StatementsRead(NamedTuple):
    """The cards of each statement, whose places point into it; and what went wrong."""

    cards: list[list[Card]]
    notices: list[Notice]
    controls: Controls


async def read_statements(
    statements: Sequence[str],
    between: str,
    context: str | None,
    evidence: Sequence[Evidence],
    components: Components,
) -> StatementsRead:
    """Has a card filled for each sentence of the statements, which are joined by `between`.

    Each sentence is read beside all `evidence`. A statement without a sentence has no card.
    """
    text, places = await work(_placed, statements, between)
    ids = [passage.id for passage in evidence]
    spans = [span for own in places for span in own]
    state = State(original=text, text=text, context=context, evidence=list(evidence))
    read = await read_cards(state, spans, Kept(evidence, dict.fromkeys(spans, ids)), components)
    cards = {Span(card.start, card.end): card for card in read.cards}
    starts = [len(between.join([*statements[:number], ""])) for number in range(len(statements))]
    moved = [[_moved(cards[span], -at) for span in own] for at, own in zip(starts, places, strict=True)]
    return StatementsRead(moved, read.notices, sum(read.controls, start=Controls()))


def _placed(statements: Sequence[str], between: str) -> tuple[str, list[list[Span]]]:
    """Joins the statements, and returns the places of the sentences of each."""
    places, start = list[list[Span]](), 0
    for statement in statements:
        places.append([span.moved(start) for span in sentences(statement)])
        start += len(statement) + len(between)
    return between.join(statements), places


def _moved(card: Card, by: int) -> Card:
    def place(it: Place) -> dict[str, int]:
        return {"start": it.start + by, "end": it.end + by}

    opened = tuple(it.model_copy(update=place(it)) for it in card.open)
    edits = tuple(it.model_copy(update=place(it)) for it in card.edits)
    return card.model_copy(update={"open": opened, "edits": edits, **place(card)})
