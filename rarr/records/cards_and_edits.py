"""Declares the cards of sentences and the edits of a text, and applies accepted edits.

A card is the answer of a reader about one sentence. A reader is a language model, or code without a model.
"""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import model_validator
from rapidfuzz.distance import Levenshtein

from rarr.errors import InputError
from rarr.records.base import Record

CardVerdict = Literal["yes", "no", "open", "mixed", "none"]
"""yes: supported. no: contradicted. open: undecided. mixed: sources disagree. none: nothing to check."""
Side = Literal["for", "against"]
EditState = Literal["accepted", "suggested", "refused"]


class Quote(Record):
    """Words of a source that support a sentence (`side` is "for") or contradict it ("against").

    `text` is the extracted text of the source from `start` to `end`.
    """

    evidence_id: str
    start: int
    end: int
    text: str
    side: Side = "for"


class Place(Record):
    """A range of characters of a text, from the character `start` to the character before `end`."""

    start: int
    end: int


class Change(Place):
    """A proposal to replace the characters from `start` to `end` of a text by the words `new`."""

    new: str


class CardEdit(Change):
    """A change of one sentence that a reader proposes in a card."""

    by: str  # the words of the evidence that give the new words; "" if the evidence does not have them
    evidence_id: str
    confirmed: bool = False  # True if code found in the words `by` every value and word that `new` adds


class Card(Place):
    """A reader's judgement of the sentence at `start` to `end` of a text, after the checks by code."""

    verdict: CardVerdict | None  # None if the sentence could not be read: `reason` says why
    quotes: tuple[Quote, ...] = ()
    open: tuple[Place, ...] = ()  # words that no source decides
    edits: tuple[CardEdit, ...] = ()
    doubts: tuple[str, ...] = ()  # reasons why code does not trust the reading
    unclear: tuple[str, ...] = ()  # reasons to ask the reader again; empty after the second answer
    unreliable: bool = False  # True if the reader misjudged planted test sentences of the same request
    side: Side | None = None  # the stronger side of a `mixed` card; None for a tie
    shown: tuple[str, ...] = ()  # the ids of the evidence that its reader saw
    disputed: bool = False  # True if a line of a source nearly repeats the sentence with another value
    reason: str = ""
    outcome: EditState | None = None  # the state of all edits of the card; None before the decision

    @property
    def is_decided(self) -> bool:
        """True if the sources on one side decide every part of the sentence, and code has no doubts."""
        one_side = self.verdict in ("yes", "no") or self.side is not None
        return one_side and not self.open and not self.doubts

    @property
    def quoted_evidence_ids(self) -> tuple[str, ...]:
        """The ids of the evidence that the card quotes, each once."""
        return tuple(dict.fromkeys(quote.evidence_id for quote in self.quotes))


class Edit(Change):
    """A proposed change with its state. `start` and `end` are a place of the text before this edit.

    An `accepted` edit is in the text. A `suggested` edit is likely right, but not certain: it is shown, and
    `Revision.accept` applies it. A `refused` edit is not applied. `reason` is the reason of the state.
    `confirmed` is True if code found the new value in the words of the source, and no other words of the
    sentence are undecided.
    """

    id: str
    old: str
    query_id: str
    evidence_id: str
    state: EditState
    confirmed: bool = False
    reason: str

    @model_validator(mode="before")
    @classmethod
    def _reads_earlier_records(cls, values: Any) -> Any:
        """Removes the field `accepted`, which earlier versions wrote in addition to `state`."""
        return {it: values[it] for it in values if it != "accepted"} if isinstance(values, dict) else values

    @property
    def accepted(self) -> bool:
        """True if the edit is in the text."""
        return self.state == "accepted"


def require_edits_in_state(state: EditState, edits: Sequence[Edit], edit_ids: Sequence[str]) -> None:
    """Raises `InputError` if `edit_ids` is empty, or if an id belongs to no edit in this `state`."""
    known = ", ".join(it.id for it in edits if it.state == state)
    for edit_id in edit_ids or ("",):
        now = next((it.state for it in edits if it.id == edit_id), "unknown")
        if now != state:
            where = "in the text already" if now == "accepted" else now
            wrong = f"edit {edit_id!r} is {where}" if edit_id else "no edit is named"
            raise InputError(f"{wrong}; {state} edits, one by one: {known or 'none'}")


def with_edits(text: str, edits: Sequence[Edit]) -> str:
    """Applies the accepted edits of `edits` to `text`, in order, and returns the new text."""
    for edit in edits:
        if edit.accepted:
            text = text[: edit.start] + edit.new + text[edit.end :]
    return text


def refuse_accepted_edit(edits: list[Edit], number: int) -> Change:
    """Marks the accepted edit at index `number` as refused, and moves the places of later edits.

    Returns the change that removes the edit from the final text. Raises `InputError` if a later edit changed
    the new words of this edit.
    """
    edit = edits[number]
    edits[number] = edit.model_copy(update={"state": "refused"})
    start, end = edit.start, edit.start + len(edit.new)
    grown = end - edit.end
    for at, later in enumerate(edits[number + 1 :], start=number + 1):
        if later.accepted and later.start < end and start < later.end:
            raise InputError(f"{later.id} changed what a reverted edit wrote: revert {later.id} as well")
        if later.start < end:
            new_start, new_end = shift_span(later.start, later.end, start, end, end - grown)
        else:  # an edit at the place of a deletion comes after the restored words
            new_start, new_end = later.start - grown, later.end - grown
        edits[at] = later.model_copy(update={"start": new_start, "end": new_end})
        if later.accepted:
            start, end = moved_range(start, end, [later])
    return Change(start=start, end=end, new=edit.old)


def moved_range(start: int, end: int, changes: Sequence[Change]) -> tuple[int, int]:
    """Maps a range of characters to the text after `changes`. The changes were made one after another.

    If a change overlaps the range, the range grows to contain the whole change.
    """
    for change in changes:
        start, end = shift_span(start, end, change.start, change.end, change.start + len(change.new))
    return start, end


def shift_span(start: int, end: int, at: int, old_end: int, new_end: int) -> tuple[int, int]:
    """Maps a range to the text after a change. The words from `at` to `old_end` now end at `new_end`."""
    grown = new_end - old_end
    if end <= at:
        return start, end
    if old_end <= start:
        return start + grown, end + grown
    return min(start, at), max(end, old_end) + grown


def pres_lev(*parts: tuple[str, str]) -> float:
    """Computes the preservation max(1 - Lev(x, y) / len(x), 0) in characters (Gao et al. 2023, section 2.2).

    `parts` are pairs (original, revised) of pieces of a text. Their distances are added, because one distance
    of a long text takes too long. For an empty original, the result is 1 if the revision is empty, else 0.
    """
    if not (length := sum(len(original) for original, _ in parts)):
        return float(not any(revised for _, revised in parts))
    distance = sum(Levenshtein.distance(original, revised) for original, revised in parts)
    return max(1 - distance / length, 0.0)
