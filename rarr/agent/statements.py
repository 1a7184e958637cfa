"""Reads statements as cards beside passages: the path that claims and written answers share."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.components import Components
from rarr.ledger.card_reading import Kept, read_cards
from rarr.records import Evidence, Notice, Passage
from rarr.records.card import Card, Place
from rarr.records.usage import Controls
from rarr.retrievers.corpus.chunking import cut
from rarr.settings import Settings
from rarr.state import State
from rarr.tools.concurrency import work
from rarr.tools.guard.injection import suspicion
from rarr.tools.text.blocks_and_sentences import Span, sentences


def evidence_of(passage: Passage, name: str, query_id: str = "") -> Evidence:
    """Makes evidence of a passage, with the reason if it seems to speak to a language model."""
    why = suspicion(f"{passage.title}\n{passage.text}")
    facts = passage.model_dump(include=set(Passage.model_fields))
    return Evidence(**facts, id=name, query_id=query_id, relevance=1.0, suspicious=why)


def windows_of(text: str, passage: Passage, settings: Settings, *, offset: int = 0) -> list[Passage]:
    """Cuts a text of the source of `passage`, in which it begins at `offset`, into passages."""
    places = {"text": text, "start": offset, "end": offset + len(text), "lead": ()}
    return cut(passage.model_copy(update=places), settings.window, settings.step)


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
    text = between.join(statements)
    starts = [len(between.join([*statements[:number], ""])) for number in range(len(statements))]
    own = [await work(sentences, statement) for statement in statements]
    places = [[span.moved(at) for span in spans] for at, spans in zip(starts, own, strict=True)]
    spans, ids = [span for group in places for span in group], [passage.id for passage in evidence]
    state = State(original=text, text=text, context=context, evidence=list(evidence))
    read = await read_cards(state, spans, Kept(evidence, dict.fromkeys(spans, ids)), components)
    cards = {Span(card.start, card.end): card for card in read.cards}
    moved = [[_moved(cards[span], -at) for span in group] for at, group in zip(starts, places, strict=True)]
    return StatementsRead(moved, read.notices, sum(read.controls, start=Controls()))


def _moved(card: Card, by: int) -> Card:
    def place(it: Place) -> dict[str, int]:
        return {"start": it.start + by, "end": it.end + by}

    opened = tuple(it.model_copy(update=place(it)) for it in card.open)
    edits = tuple(it.model_copy(update=place(it)) for it in card.edits)
    return card.model_copy(update={"open": opened, "edits": edits, **place(card)})
