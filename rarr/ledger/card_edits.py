"""Decides about the edits of cards, and applies those that are accepted."""

import re
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rapidfuzz.distance import Levenshtein

from rarr.ledger.edit_limits import protection
from rarr.ledger.sentence_support import moved_place
from rarr.records import Change, Edit, EditState
from rarr.records.card import Card, Place
from rarr.settings import Settings
from rarr.state import State, named
from rarr.tools.text.blocks_and_sentences import Span

_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|[“„][^”“\n]{1,400}[”“]|«[^»\n]{1,400}»|「[^」\n]{1,400}」")


class Verdict(NamedTuple):
    """The decision about the edits of a card, with its reason; empty for accepted edits."""

    state: EditState
    reason: str = ""


def with_card_edits(state: State, query_ids: Mapping[Span, str], settings: Settings) -> State:
    """Applies the edits of the cards that are not decided yet, and returns the update of the state.

    The edits of a card are accepted together or not at all: half of an exchange of two names is wrong.
    `query_ids` gives the query of each sentence. Places of edits point into the text they are applied to.
    """
    text, edits, cards = state["text"], list(state.get("edits", [])), list(state.get("cards", []))
    lead = state.get("lead", 0)
    for number in range(len(cards)):
        card = cards[number]
        if not card.edits or card.outcome is not None or card.verdict not in ("no", "mixed"):
            continue
        verdict = _decision(text, card, settings, lead)
        made: list[Edit] = []
        for edit in card.edits:
            place = moved_place(Span(edit.start, edit.end), [it for it in made if it.accepted])
            made.append(
                Edit(
                    id=named(state, "e", len(edits) + len(made) + 1),
                    start=place.start,
                    end=place.end,
                    old=text[place.start : place.end],
                    new=edit.new,
                    query_id=query_ids[Span(card.start, card.end)],
                    evidence_id=edit.evidence_id,
                    state=verdict.state,
                    reason=verdict.reason or f"the source says “{edit.by}”",
                )
            )
            if verdict.state == "accepted":
                text = text[: place.start] + edit.new + text[place.end :]
        edits += made
        cards[number] = card.model_copy(update={"outcome": verdict.state})
        if verdict.state == "accepted":
            cards = [moved(other, made) for other in cards]
            query_ids = {Span(*moved_place(span, made)): query for span, query in query_ids.items()}
    return {"text": text, "edits": edits, "cards": cards}


def moved(card: Card, changes: Sequence[Change]) -> Card:
    """Returns the card with its places in the text after these changes, one after another."""
    place = moved_place(Span(card.start, card.end), changes)
    own = any(card.start <= change.start and change.end <= card.end for change in changes)
    if place == (card.start, card.end) and not own:
        return card

    def shifted(part: Place) -> Place:
        span = moved_place(Span(part.start, part.end), changes)
        return part.model_copy(update=span._asdict())

    edits = tuple(shifted(edit) for edit in card.edits)
    opened = tuple(shifted(part) for part in card.open)
    return card.model_copy(update={**place._asdict(), "edits": edits, "open": opened})


def _decision(text: str, card: Card, settings: Settings, lead: int) -> Verdict:
    sentence = Span(card.start, card.end)
    if card.verdict == "mixed" and card.side != "against":
        return Verdict("suggested", "the sources disagree about it")
    for edit in card.edits:
        change = Change(start=edit.start, end=edit.end, new=edit.new)
        if edit.start < lead:
            return Verdict("refused", "the change lies before the text")
        if reason := protection(text, sentence, change):
            return Verdict("refused", reason)
    if card.doubts:
        return Verdict("suggested", card.doubts[0])
    if reason := _limit(text, card, settings):
        return Verdict("suggested", reason)
    return Verdict("accepted")


def _limit(text: str, card: Card, settings: Settings) -> str:
    """Returns why the edits are only suggested: they are long (Gao et al. 2023, 3.3), or in a quotation."""
    changed = sum(Levenshtein.distance(text[edit.start : edit.end], edit.new) for edit in card.edits)
    length = card.end - card.start
    if changed > settings.max_edit_chars and changed > settings.max_edit_share * length:
        return f"its edits change {changed} of {length} characters"
    quoted = [Span(*match.span()) for match in _QUOTED.finditer(text, card.start, card.end)]
    if any(place.start < edit.end and edit.start < place.end for place in quoted for edit in card.edits):
        return "it changes words in quotation marks"
    return ""
