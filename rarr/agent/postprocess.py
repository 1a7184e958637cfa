"""Postprocesses the answer of a model: within its deadline, and whatever fails, with a text to send out."""

import csv
import io
import json
from collections.abc import Coroutine, Sequence
from typing import TYPE_CHECKING, Any, get_args

from rarr.agent.citing.marks import planned_citations, with_marks
from rarr.agent.inputs import Message, context_of, required_text
from rarr.agent.summary import doubtful, summary
from rarr.errors import InputError, RarrError
from rarr.records import Evidence, Revision, Sentence
from rarr.records.citations import Cited
from rarr.records.postprocessing import (
    AnswerCitation,
    Doubt,
    DoubtMark,
    Outcome,
    Postprocessed,
    PostprocessMode,
)
from rarr.tools.concurrency import by_deadline, work
from rarr.tools.models.failures import redacted
from rarr.tools.text.citation_marks import source_list_places
from rarr.tools.text.wording import shown
from rarr.valid_unicode import valid

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser, Search
    from rarr.retrievers.given_passages import Given


def require_options(
    answer: object = "an answer",
    mode: object = "revise",
    search: object = None,
    sources: object = None,
    deadline_s: object = None,
) -> None:
    """Raises `InputError` for a wrong call of `postprocess`."""
    required_text(answer, "answer")
    if mode not in (modes := get_args(PostprocessMode)):
        raise InputError(f"mode is {mode!r}: give one of {', '.join(map(repr, modes))}")
    if search not in (None, "given"):
        raise InputError(f"search is {search!r}: give 'given', or name sources in the settings")
    if search == "given" and sources is None:
        raise InputError("search is given, and sources are not: give the passages of the model as sources")
    is_number = isinstance(deadline_s, int | float) and not isinstance(deadline_s, bool)
    if deadline_s is not None and not (is_number and deadline_s > 0):  # type: ignore[operator]  # a number
        raise InputError(f"deadline_s is {deadline_s!r}: give seconds above 0, or None for no deadline")


async def in_time(
    call: Coroutine[Any, Any, Postprocessed], answer: str, mode: PostprocessMode, deadline_s: float | None
) -> Postprocessed:
    """Awaits `call`, and returns its result, or the untouched answer if the deadline comes first."""
    if (result := await by_deadline(call, deadline_s)) is not None:
        return result
    return untouched(
        valid(answer), mode, "deadline", f"not checked: the deadline of {deadline_s:g} s came first"
    )


def untouched(answer: str, mode: PostprocessMode, outcome: Outcome, notice: str) -> Postprocessed:
    """Makes the result of an answer that nothing was done with. `notice` says why."""
    return Postprocessed(
        text=answer, original=answer, changed=False, mode=mode, outcome=outcome, notice=valid(notice)
    )


async def postprocessed(
    reviser: "Reviser",
    answer: str,
    context: str | Sequence[Message] | None,
    sources: "Sequence[Given] | None",
    mode: PostprocessMode,
    search: "Search",
    run_id: str | None,
) -> Postprocessed:
    """Postprocesses the answer. A failure is told by the result; a wrong call raises `InputError`."""
    text = valid(answer)
    try:
        asked = context_of(context, text)
        if mode != "revise":
            reviser = reviser.unedited()
        if sources is not None and not len(sources) and (search == "given" or not reviser.names_sources):
            return untouched(text, mode, "failed", "not checked: the answer has no sources")
        options: dict[str, Any] = {"sources": sources, "search": search, "run_id": run_id}
        if mode == "cite":
            cited = await reviser.acite(answer, asked, **options)
            return await work(_result, mode, cited.research, cited)
        return await work(_result, mode, await reviser.arevise(answer, asked, **options))
    except InputError:
        raise
    except Exception as error:  # an application must be able to send its answer out
        named = "" if isinstance(error, RarrError) else f"{type(error).__name__}: "
        why = f"not checked: {named}{shown(redacted(' '.join(str(error).split())))}"
        return untouched(text, mode, "failed", why)


def _result(mode: PostprocessMode, revision: Revision, cited: Cited | None = None) -> Postprocessed:
    """Makes the result: citations stand beside the text; the modes cite and annotate put marks into it."""
    outcome, notice = summary(revision, cited)
    text, marks, places = revision.text, tuple[DoubtMark, ...](), list[tuple[int, int, Evidence]]()
    if outcome == "failed":
        text = revision.original
    elif cited:
        text = cited.text
        places = [(it.start, it.end, it.passage) for it in cited.citations]
    else:
        planned = planned_citations(revision, source_list_places(text))
        marked = doubtful(revision) if mode == "annotate" and not is_data(text) else []
        text, marks = annotated(text, marked)
        places = [
            (_moved(it.sentence.start, marks), _moved(it.sentence.end, marks), it.passage) for it in planned
        ]
    return Postprocessed(
        text=text,
        original=revision.original,
        changed=text != revision.original,
        mode=mode,
        outcome=outcome,
        notice=notice,
        revision=revision,
        citations=tuple(
            AnswerCitation(start=start, end=end, source=found.source, title=found.title, evidence_id=found.id)
            for start, end, found in places
        ),
        existing=cited.existing if cited else (),
        marks=marks,
    )


def is_data(text: str) -> bool:
    """Tells whether a program reads the text, which a mark would break: JSON, XML or CSV.

    All lines of CSV have the same number of cells, at least two, and no cell begins with a space.
    """
    if text.lstrip().startswith("<") and text.rstrip().endswith(">"):
        return True
    try:
        return isinstance(json.loads(text), dict | list)
    except (ValueError, RecursionError):
        pass
    try:
        rows = [row for row in csv.reader(io.StringIO(text), strict=True) if row]
    except csv.Error:
        return False
    cells = {len(row) for row in rows}
    is_even = len(rows) > 1 and len(cells) == 1 and cells != {1}
    return is_even and not any(cell[:1].isspace() for row in rows for cell in row)


def annotated(original: str, doubtful: Sequence[Sentence]) -> tuple[str, tuple[DoubtMark, ...]]:
    """Puts `[contradicted]` or `[not confirmed]` behind each of these sentences of `original`.

    Nothing is put into links and code; marks of cells stand in the cells.
    """

    def kind(sentence: Sentence) -> Doubt:
        return "contradicted" if sentence.status == "contradicted" else "not confirmed"

    text, places = with_marks(original, [(it, f"[{kind(it)}]") for it in doubtful])
    marks = (
        DoubtMark(kind=kind(it), start=at.start, end=at.end, sentence_start=it.start, sentence_end=it.end)
        for it, at in zip(doubtful, places, strict=True)
    )
    return text, tuple(marks)


def _moved(position: int, marks: Sequence[DoubtMark]) -> int:
    """Returns a place of the original as a place of the text with marks."""
    for start, end in sorted({(mark.start, mark.end) for mark in marks}):
        position += end - start if start <= position else 0
    return position
