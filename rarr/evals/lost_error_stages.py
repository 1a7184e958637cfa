"""Names the stage of the pipeline at which each error of a text was lost, or that it was mended.

The errors are the places where a person's revision differs from the text.
"""

from collections.abc import Iterator, Sequence
from typing import Literal, NamedTuple

from rarr.backends.rules.answer_grounding import has_phrase, is_stated
from rarr.evals.word_diff import word_diff
from rarr.records import Edit, Passage, Query, Revision
from rarr.tools.text.edit_segments import revised_place
from rarr.tools.text.span import Span

ErrorStage = Literal[
    "mended",
    "changed_otherwise",
    "suggested",
    "not_asked",
    "not_found",
    "not_kept",
    "not_judged",
    "not_edited",
    "refused",
]


class TextError(NamedTuple):
    """Characters of a text that a person replaced by `right`; an empty place is an insertion."""

    place: Span
    right: str


def errors(original: str, reference: str) -> Iterator[TextError]:
    """Yields the errors of `original`, in text order: its changed words, with the person's words."""
    at, deleted = 0, None
    for piece in word_diff(original, reference):
        if piece.kind == "inserted":
            yield TextError(deleted or Span(at, at), piece.text)
            deleted = None
            continue
        if deleted:
            yield TextError(deleted, "")
        end = at + len(piece.text)
        deleted = Span(at, end) if piece.kind == "deleted" else None
        at = end
    if deleted:
        yield TextError(deleted, "")


def error_stages(revision: Revision, reference: str, found: Sequence[Passage]) -> tuple[ErrorStage, ...]:
    """Names the stage of each error, in text order. `found` are all passages that the searches returned.

    - `mended`: the text has the person's words now. `changed_otherwise`: it has other new words.
    - `suggested`: an edit was suggested and not made. `refused`: an edit was proposed and refused.
    - `not_asked`: no query is about the place. `not_found`: no search returned a passage with the person's
      words. `not_kept`: the reranker kept none of those passages for the queries about the place.
    - `not_judged`: such a passage was kept, and no check disagrees. `not_edited`: a check disagrees, and no
      edit was proposed.
    """
    left = [error.place for error in errors(revision.text, reference)]
    return tuple(_stage(error, revision, found, left) for error in errors(revision.original, reference))


def _stage(
    error: TextError, revision: Revision, found: Sequence[Passage], left: Sequence[Span]
) -> ErrorStage:
    """Names the stage of `error`; `left` are the places where the revised text still has an error."""
    after = revised_place(revision.original, revision.edits, error.place)
    if after.of(revision.text).split() != error.place.of(revision.original).split():
        wrong = any(place.start <= after.end and after.start <= place.end for place in left)
        return "changed_otherwise" if wrong else "mended"
    asked = {query.id for query in revision.queries if _is_about(query, error.place)}
    return _proposal(asked, revision.edits) or _lost(error, asked, revision, found)


def _proposal(asked: set[str], edits: Sequence[Edit]) -> ErrorStage | None:
    states = {edit.state for edit in edits if edit.query_id in asked}
    if "suggested" in states:
        return "suggested"
    return "refused" if "refused" in states else None


def _lost(error: TextError, asked: set[str], revision: Revision, found: Sequence[Passage]) -> ErrorStage:
    if not asked:
        return "not_asked"
    if any(check.verdict == "disagrees" for check in revision.checks if check.query_id in asked):
        return "not_edited"
    kept = [passage for passage in revision.evidence if passage.query_id in asked]
    if any(_says(passage, error.right) for passage in kept):
        return "not_judged"
    return "not_kept" if any(_says(passage, error.right) for passage in found) else "not_found"


def _is_about(query: Query, place: Span) -> bool:
    """Does the query ask about the characters at `place`, or around it if it is empty?"""
    return query.start < max(place.end, place.start + 1) and place.start < query.end


def _says(passage: Passage, words: str) -> bool:
    """Does the passage have these words, or state their values? Always True if `words` is empty."""
    text = f"{passage.title}\n{passage.text}"
    return not words.strip() or is_stated(words, text) or has_phrase(text, words)
