"""Declares the records of edits, and applies the accepted edits to a text."""

from collections.abc import Sequence
from typing import Any, Literal

from pydantic import model_validator
from rapidfuzz.distance import Levenshtein

from rarr.errors import InputError
from rarr.records.base import Record

EditState = Literal["accepted", "suggested", "refused"]


class Change(Record):
    """An editor's proposal to replace the characters `start` to `end` by `new`."""

    start: int
    end: int
    new: str


class Edit(Change):
    """A proposed change with its state; `start` and `end` point into the text that it was proposed for.

    An `accepted` edit is in the text. A `suggested` edit is likely right, but not sure enough: it is shown
    and not applied (`Revision.accept` applies it). A `refused` edit is not applied. `reason` gives the reason
    of the state. `confirmed`: code found the new value in the words of the source, and nothing else of the
    sentence is open.
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
        """Drops `accepted`, which earlier versions wrote beside `state`."""
        return {it: values[it] for it in values if it != "accepted"} if isinstance(values, dict) else values

    @property
    def accepted(self) -> bool:
        """True if the edit is in the text."""
        return self.state == "accepted"


def require_state(state: EditState | Literal[""], edits: Sequence[Edit], edit_ids: Sequence[str]) -> None:
    """Raises `InputError` unless there are ids, each of an edit in this state; "" is any state."""
    known = ", ".join(it.id if state else f"{it.id} ({it.state})" for it in edits if state in ("", it.state))
    for edit_id in edit_ids or ("",):
        now = next((it.state for it in edits if it.id == edit_id), "unknown")
        if now == "unknown" or state not in ("", now):
            where = "in the text already" if now == "accepted" else now
            wrong = f"edit {edit_id!r} is {where}" if edit_id else "no edit is named"
            which = f"{state} edits, one by one" if state else "edits that a person can decide"
            raise InputError(f"{wrong}; {which}: {known or 'none'}")


def with_edits(text: str, edits: Sequence[Edit], without: Sequence[str] = ()) -> str:
    """Applies the accepted edits to `text` in order, without those whose ids are in `without`.

    Raises `InputError` if an edit changed the new words of an edit in `without`.
    """
    left_out: list[tuple[int, int, int]] = []  # places of reverted edits: start, end, growth
    for edit in edits:
        if not edit.accepted:
            continue
        grown = len(edit.new) - (edit.end - edit.start)
        touched = [span for span in left_out if span[0] < edit.end and edit.start < span[1]]
        if edit.id not in without:
            if touched:
                raise InputError(f"{edit.id} changed what a reverted edit wrote: revert {edit.id} as well")
            shift = sum(delta for _, end, delta in left_out if end <= edit.start)
            text = text[: edit.start - shift] + edit.new + text[edit.end - shift :]
        # An insertion at the place of a reverted deletion goes after the deleted words, here and in `shift`.
        left_out = [
            (start, end, delta) if end <= edit.start else (start + grown, end + grown, delta)
            for start, end, delta in left_out
            if (start, end, delta) not in touched
        ]
        if edit.id in without:
            start = min([edit.start, *(start for start, _, _ in touched)])
            end = max([edit.end, *(end for _, end, _ in touched)]) + grown
            left_out.append((start, end, grown + sum(delta for _, _, delta in touched)))
    return text


def moved_range(start: int, end: int, changes: Sequence[Change]) -> tuple[int, int]:
    """Returns a range of characters, moved to the text after `changes`, which were made one after another.

    A range that a change overlaps grows to cover it all.
    """
    for change in changes:
        start, end = shifted(start, end, change.start, change.end, change.start + len(change.new))
    return start, end


def shifted(start: int, end: int, at: int, old_end: int, new_end: int) -> tuple[int, int]:
    """Moves a range by the replacement of the characters `at` to `old_end`, which then end at `new_end`."""
    grown = new_end - old_end
    if end <= at:
        return start, end
    if old_end <= start:
        return start + grown, end + grown
    return min(start, at), max(end, old_end) + grown


def pres_lev(original: str, revised: str) -> float:
    """Pres_Lev: max(1 - Lev(x, y) / len(x), 0) over characters (Gao et al. 2023, section 2.2).

    For an empty original, an empty revision has preservation 1, and any other revision 0.
    """
    return pres_lev_by_parts([(original, revised)])


def pres_lev_by_parts(parts: Sequence[tuple[str, str]]) -> float:
    """Pres_Lev of a text whose parts (original, revised) were revised one by one.

    The distance is the sum over the parts, so the time grows with the text and not with its square.
    """
    if not (length := sum(len(original) for original, _ in parts)):
        return float(not any(revised for _, revised in parts))
    distance = sum(Levenshtein.distance(original, revised) for original, revised in parts)
    return max(1 - distance / length, 0.0)
