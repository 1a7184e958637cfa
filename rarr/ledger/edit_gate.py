"""The gate: decides which edits are accepted, applies these edits, and computes places in the edited text.

No edit may change code, links or citations. An edit of a card stays in its sentence or table cell, and does
not delete the sentence. An edit is only suggested if it is long, doubted or in quotation marks. In the
preset `paper`, the verdict of the model decides (Gao et al. 2023, section 3.3).
"""

import re
from collections.abc import Iterable, Mapping, Sequence
from typing import TypeVar

from rapidfuzz.distance import Levenshtein

from rarr.ledger.card import edited_sentence
from rarr.records import Change, Edit, Query, Record, Sentence
from rarr.records.cards_and_edits import Card, CardEdit, EditState, Place, moved_range, shift_span, with_edits
from rarr.state import State, numbered_id
from rarr.tools.text.blocks_and_sentences import Span, protected_spans, table_cells

MAX_EDIT_CHARS, MAX_EDIT_SHARE = 50, 0.5
"""The limits of changed characters, and of their share of the sentence or text. An edit may exceed one."""
_Placed = TypeVar("_Placed", Query, Card, CardEdit, Place)
_Record = TypeVar("_Record", bound=Record)
_QUOTED = re.compile(r"\"[^\"\n]{1,400}\"|[“„][^”“\n]{1,400}[”“]|«[^»\n]{1,400}»|「[^」\n]{1,400}」")
_MARK = re.compile(r"<[|?_][^<>\n]{0,200}>|\[/[A-Z_]{3,}\]|^#{1,6} |```", re.MULTILINE)


def apply_card_edits(state: State, query_ids: Mapping[Span, str]) -> State:
    """Decides about the edits of the cards, applies accepted edits, and returns an update of the state.

    The edits of a card are accepted together or not at all: half of an exchange of two names is wrong.
    `query_ids` has the id of the query of each sentence. The cards must be in text order. The edits of a card
    with an `outcome` were decided earlier, and are not decided again.
    """
    original, edits = state["text"], list(state.get("edits", []))
    cards, accepted, at = list[Card](), list[Edit](), 0
    for card in state.get("cards", []):
        outcome = card.outcome
        if card.edits and outcome is None and card.start >= at:
            outcome, reason = _decide_edits(original, card)
            for edit in card.edits:
                made = Edit(
                    **moved_place(Span(edit.start, edit.end), accepted)._asdict(),
                    id=numbered_id(state, "e", len(edits) + 1),
                    old=original[edit.start : edit.end],
                    new=edit.new,
                    query_id=query_ids[Span(card.start, card.end)],
                    evidence_id=edit.evidence_id,
                    state=outcome,
                    confirmed=edit.confirmed and card.is_decided,
                    reason=reason or f"the source says “{edit.by}”",
                )
                edits.append(made)
                accepted += [made] if made.accepted else []
            at = card.end if outcome == "accepted" else at
        parts = {"edits": records_after(card.edits, accepted), "open": records_after(card.open, accepted)}
        cards += records_after([card.model_copy(update={"outcome": outcome, **parts})], accepted)
    return {"text": with_edits(original, accepted), "edits": edits, "cards": cards}


def _decide_edits(text: str, card: Card) -> tuple[EditState, str]:
    """Decides about the edits of a card. Returns their state, and the reason ("" if they are accepted)."""
    place, places = Span(card.start, card.end), [Span(edit.start, edit.end) for edit in card.edits]
    if not edited_sentence(text, card).strip():
        return "refused", "the edits delete the sentence"
    if place in table_cells(text) and any("|" in edit.new for edit in card.edits):
        return "refused", "the change adds a cell"
    # Whole lines, because links and code may go beyond a sentence, but not beyond a line.
    end = text.find("\n", place.end)
    line = text.rfind("\n", 0, place.start) + 1, len(text) if end < 0 else end
    if any(span.overlaps(it) for span in protected_spans(text, *line) for it in places):
        return "refused", "the change touches code, a link or a citation"
    if broken := next(filter(None, (_forbidden_change_reason(text, edit, place) for edit in card.edits)), ""):
        return "refused", broken
    if card.verdict == "mixed" and card.side != "against":
        return "suggested", "the sources disagree about it"
    if card.doubts:
        return "suggested", card.doubts[0]
    changed = sum(Levenshtein.distance(text[edit.start : edit.end], edit.new) for edit in card.edits)
    if reason := _too_long_reason(changed, card.end - card.start):
        return "suggested", reason
    quoted = [Span(*it.span()) for it in _QUOTED.finditer(text, *place)]
    if any(span.overlaps(it) for span in quoted for it in places):
        return "suggested", "it changes words in quotation marks"
    return "accepted", ""


def paper_refusal_reason(text: str, change: Change) -> str:
    """Returns the reason to refuse an edit in the preset `paper`; "" if the edit is acceptable.

    Refuses an edit that is too long (Gao et al. 2023, section 3.3), that deletes the text, that changes code,
    links or citations, or that adds or removes lines or cells.
    """
    old = text[change.start : change.end]
    revised = text[: change.start] + change.new + text[change.end :]
    if not revised.strip():
        return "the change deletes the text"
    if reason := _forbidden_change_reason(text, change, Span(0, len(text))):
        return reason
    if old.count("\n") != change.new.count("\n") or len(table_cells(text)) != len(table_cells(revised)):
        return "the change adds or removes a line or a cell"
    return _too_long_reason(Levenshtein.distance(old, change.new), len(text))


def _too_long_reason(changed: int, length: int) -> str:
    """Returns a reason if over 50 characters and over half changed (Gao et al. 2023, section 3.3), or ""."""
    is_long = changed > MAX_EDIT_CHARS and changed > MAX_EDIT_SHARE * length
    return f"it changes {changed} of {length} characters" if is_long else ""


def _forbidden_change_reason(text: str, change: Change | CardEdit, place: Span) -> str:
    """Returns why a change is refused, or "": it alters code, links or citations, or adds markup or lines."""
    revised = text[: change.start] + change.new + text[change.end :]
    end = place.end + len(revised) - len(text)
    before, after = protected_spans(text, *place), protected_spans(revised, place.start, end)
    if [span.of(text) for span in before] != [span.of(revised) for span in after]:
        return "the change touches or adds code, a link or a citation"
    if any(match[0] not in text for match in _MARK.finditer(change.new)):
        return "the change adds markup"
    old = text[change.start : change.end]
    # U+FFFD stands for a character that was not valid.
    if any((not char.isprintable() or char == "\ufffd") and char not in old for char in change.new):
        return "the change adds a line or a character that cannot be seen"
    return ""


def moved_queries(queries: Sequence[Query], edits: Sequence[Edit]) -> list[Query]:
    """Returns the queries with their places in the text after the accepted `edits`."""
    accepted = [edit for edit in edits if edit.accepted]
    return list(records_after(queries, accepted) if accepted else queries)


def records_after(records: Sequence[_Placed], changes: Sequence[Change]) -> tuple[_Placed, ...]:
    """Returns the records with their places in the text after all `changes`, made one after another."""
    places = (moved_place(Span(it.start, it.end), changes)._asdict() for it in records)
    return tuple(it.model_copy(update=place) for it, place in zip(records, places, strict=True))


def moved_records(records: Iterable[_Record], by: int, *more: str) -> tuple[_Record, ...]:
    """Returns the records with `by` added to the fields `start` and `end`, and to the fields named `more`."""
    names = ("start", "end", *more)
    return tuple(it.model_copy(update={name: getattr(it, name) + by for name in names}) for it in records)


def moved_sentences(sentences: Iterable[Sentence], by: int) -> tuple[Sentence, ...]:
    """Returns the sentences with the places of sentences and parts moved by `by` characters."""
    inside = (it.model_copy(update={"parts": moved_records(it.parts, by)}) for it in sentences)
    return moved_records(inside, by)


def moved_place(place: Span, changes: Sequence[Change]) -> Span:
    """Returns `place` as a place in the text after all `changes`, made one after another."""
    return Span(*moved_range(place.start, place.end, changes))


def unedited_place(place: Span, edits: Sequence[Edit]) -> Span:
    """Returns `place` before the accepted `edits`, with the whole old text of each edit that it touches."""
    for edit in reversed([edit for edit in edits if edit.accepted]):
        place = Span(*shift_span(place.start, place.end, edit.start, edit.start + len(edit.new), edit.end))
    return place
