"""Applies suggested edits to a revision after its run."""

from collections.abc import Sequence

from rarr.errors import InputError
from rarr.ledger.preservation import pres_lev
from rarr.ledger.sentence_support import moved_place, moved_queries
from rarr.records import Check, Edit, Notice, Part, Revision, Sentence
from rarr.tools.text.blocks_and_sentences import Span


def with_accepted(revision: Revision, edit_ids: Sequence[str]) -> Revision:
    """Returns a copy of `revision` with these suggested edits applied, in the order of `revision.edits`.

    Nothing is judged again: changed sentences become `unjudged`, and each edit adds a warning. Raises
    `InputError` for an id that is not a suggested edit, or whose words another edit changed.
    """
    if not all(isinstance(edit_id, str) for edit_id in edit_ids):
        raise InputError('edit ids are given one by one: accept("e1", "e2")')
    suggested = [edit.id for edit in revision.edits if edit.state == "suggested"]
    if unknown := [edit_id for edit_id in edit_ids if edit_id not in suggested]:
        states = {edit.id: f"{edit.id} is {edit.state}" for edit in revision.edits}
        why = states.get(unknown[0], f"there is no edit {unknown[0]!r}")
        raise InputError(f"{why}: the suggested edits are {', '.join(suggested) or 'none'}")
    for edit_id in (edit_id for edit_id in suggested if edit_id in edit_ids):
        revision = _with_edit(revision, edit_id)
    return revision


def _with_edit(revision: Revision, edit_id: str) -> Revision:
    edit = _moved_to_end(revision, edit_id)
    text = revision.text[: edit.start] + edit.new + revision.text[edit.end :]
    edits = (*(other for other in revision.edits if other.id != edit_id), edit)
    sentences = tuple(_sentence_after(sentence, edit, text) for sentence in revision.report.sentences)
    changed = [
        sentence
        for sentence, before in zip(sentences, revision.report.sentences, strict=True)
        if sentence.text != before.text
    ]
    notice = Notice(
        code="not_judged_again",
        message=f"{edit_id} was accepted after the run, and its sentence was not judged again",
        node="edit",
    )
    scores = {
        "attribution_after": None,
        "attribution_all_evidence_after": None,
        "preservation": pres_lev(revision.original, text),
        "f1_ap": None,
        "intent": None,
    }
    return revision.model_copy(
        update={
            "text": text,
            "changed": text != revision.original,
            "checks": _checks(revision, edits, changed),
            "edits": edits,
            "report": revision.report.model_copy(update={"sentences": sentences}),
            "scores": revision.scores.model_copy(update=scores),
            "warnings": (*revision.warnings, notice),
        }
    )


def _moved_to_end(revision: Revision, edit_id: str) -> Edit:
    """Returns the edit as accepted, with its place in the current text, to be put at the end of the edits.

    Raises `InputError` if another edit changed its words.
    """
    number = next(number for number, edit in enumerate(revision.edits) if edit.id == edit_id)
    edit = revision.edits[number]
    later = [other for other in revision.edits[number + 1 :] if other.accepted]
    place = moved_place(Span(edit.start, edit.end), later)
    if place.of(revision.text) != edit.old:
        raise InputError(
            f"{edit_id} replaces {edit.old!r}, which another edit changed: revise the text once more"
        )
    return edit.model_copy(update={"state": "accepted", "start": place.start, "end": place.end})


def _sentence_after(sentence: Sentence, edit: Edit, text: str) -> Sentence:
    """Returns the sentence at its place after the edit; `unjudged` if the edit changed its text."""
    place = moved_place(Span(sentence.start, sentence.end), [edit])
    update = {"start": place.start, "end": place.end, "text": place.of(text)}
    parts = tuple(_part_after(part, edit) for part in sentence.parts)
    if update["text"] == sentence.text:
        return sentence.model_copy(update=update | {"parts": parts})
    judged = {"status": "unjudged", "evidence_ids": (), "support": None}
    return sentence.model_copy(update=update | judged | {"parts": parts})


def _part_after(part: Part, edit: Edit) -> Part:
    """Returns the part at its place after the edit; `open` if the edit overlaps it."""
    place = moved_place(Span(part.start, part.end), [edit])
    if Span(part.start, part.end).overlaps(Span(edit.start, edit.end)):
        return Part(start=place.start, end=place.end, state="open")
    return part.model_copy(update=place._asdict())


def _checks(revision: Revision, edits: Sequence[Edit], changed: Sequence[Sentence]) -> tuple[Check, ...]:
    """Returns the checks of the revision; marks those of queries about a changed sentence as stale."""
    places = [Span(sentence.start, sentence.end) for sentence in changed]
    stale = {
        query.id
        for query in moved_queries(revision.queries, edits)
        if any(place.overlaps(Span(query.start, query.end)) for place in places)
    }
    return tuple(
        check.model_copy(update={"stale": True}) if check.query_id in stale else check
        for check in revision.checks
    )
