"""Applies the decisions of a reader to a revision, and requires that the revision fits together."""

from collections.abc import Sequence

from rarr.errors import InputError
from rarr.records import Revision


def decided(revision: Revision, accept: Sequence[str], refuse: Sequence[str]) -> Revision:
    """Returns the revision with these suggested edits applied, and those refused.

    Raises `InputError` for an id that is not a suggested edit, and for an edit that no longer fits.
    """
    suggested = {edit.id for edit in revision.edits if edit.state == "suggested"}
    if unknown := [name for name in (*accept, *refuse) if name not in suggested]:
        raise InputError(f"there is no suggested edit {unknown[0][:40]!r} in this revision")
    if both := set(accept) & set(refuse):
        raise InputError(f"{min(both)} is accepted and refused: choose one of them")
    revision = revision.accept(*accept)
    update = {"state": "refused", "reason": "the reader of the page refused it"}
    edits = tuple(edit.model_copy(update=update) if edit.id in refuse else edit for edit in revision.edits)
    return revision.model_copy(update={"edits": edits})


def require_sound(revision: Revision) -> None:
    """Raises `InputError` for a revision that no run has made: its places or ids do not fit together."""
    known = {evidence.id for evidence in revision.evidence}
    end = 0
    for sentence in revision.report.sentences:
        start, text = sentence.start, revision.text[max(sentence.start, 0) : sentence.end]
        inside = all(start <= part.start <= part.end <= sentence.end for part in sentence.parts)
        cited = sentence.status != "supported" or known & set(sentence.evidence_ids[:1])
        if start < end or text != sentence.text or not inside or not cited:
            raise InputError("the sentences of this revision do not fit its text: send it as it was made")
        end = sentence.end
    if any(edit.start < 0 or edit.end < edit.start for edit in revision.edits):
        raise InputError("the edits of this revision do not fit its text: send it as it was made")
