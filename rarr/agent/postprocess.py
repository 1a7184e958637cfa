"""Postprocesses the answer of a model: within its deadline, and whatever fails, with a text to send out."""

import re
from collections import defaultdict
from collections.abc import Coroutine, Mapping, Sequence
from typing import TYPE_CHECKING, Any, NamedTuple, get_args

from rarr.agent.citing.marks import mark_place, planned_citations, with_marks
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
from rarr.tools.concurrency import by_deadline, in_thread, work
from rarr.tools.models.failures import redacted
from rarr.tools.text.blocks_and_sentences import Span, blocks, table_cells
from rarr.tools.text.citation_marks import source_list_places
from rarr.tools.text.markdown_tables import Cell
from rarr.tools.text.wording import shown
from rarr.valid_unicode import valid

if TYPE_CHECKING:
    from rarr.agent.revise import Reviser, Search
    from rarr.retrievers.given_passages import Given

_NEXT_LINE = re.compile(r"[ \t]*(?:\r\n|\r|\n)[ \t]*[^\s]")
"""A line with words directly behind a table: it would continue the paragraph of the mark."""


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
            reviser = await in_thread(reviser.unedited)  # it is made at the first call
        if sources is not None and not len(sources) and (search == "given" or not reviser.names_sources):
            return untouched(text, mode, "failed", "not checked: the answer has no sources")
        options: dict[str, Any] = {"sources": sources, "search": search, "run_id": run_id}
        if mode == "cite":
            return _cited(await reviser.acite(answer, asked, **options))
        revision = await reviser.arevise(answer, asked, **options)
        return await work(_result, revision, mode)
    except InputError:
        raise
    except Exception as error:  # an application must be able to send its answer out
        named = "" if isinstance(error, RarrError) else f"{type(error).__name__}: "
        why = f"not checked: {named}{shown(redacted(' '.join(str(error).split())))}"
        return untouched(text, mode, "failed", why)


def _cited(cited: Cited) -> Postprocessed:
    outcome, notice = summary(cited.research, cited)
    failed = outcome == "failed"
    text = cited.original if failed else cited.text
    return Postprocessed(
        text=text,
        original=cited.original,
        changed=text != cited.original,
        mode="cite",
        outcome=outcome,
        notice=notice,
        revision=cited.research,
        citations=() if failed else tuple(_citation(it.start, it.end, it.passage) for it in cited.citations),
        existing=cited.existing,
    )


def _result(revision: Revision, mode: PostprocessMode) -> Postprocessed:
    """Makes the result: citations stand beside the text; only the mode `annotate` puts marks into it."""
    outcome, notice = summary(revision)
    failed = outcome == "failed"
    text = revision.original if failed else revision.text
    marked = annotated(text, doubtful(revision) if mode == "annotate" and not failed else [])
    planned = [] if failed else planned_citations(revision, source_list_places(revision.text))
    return Postprocessed(
        text=marked.text,
        original=revision.original,
        changed=marked.text != revision.original,
        mode=mode,
        outcome=outcome,
        notice=notice,
        revision=revision,
        citations=tuple(
            _citation(*marked.moved(it.sentence.start, it.sentence.end), it.passage) for it in planned
        ),
        marks=marked.marks,
    )


def _citation(start: int, end: int, passage: Evidence) -> AnswerCitation:
    return AnswerCitation(
        start=start, end=end, source=passage.source, title=passage.title, evidence_id=passage.id
    )


class Annotated(NamedTuple):
    """A text with marks: each mark, and the place of each insertion by its place in the original."""

    text: str
    marks: tuple[DoubtMark, ...]
    inserted: tuple[tuple[int, Span], ...]

    def moved(self, start: int, end: int) -> Span:
        """Returns where the characters `start` to `end` of the original stand in the text with marks."""
        before = sum(span.end - span.start for at, span in self.inserted if at <= start)
        inside = sum(span.end - span.start for at, span in self.inserted if start < at < end)
        return Span(start + before, end + before + inside)


def annotated(original: str, doubtful: Sequence[Sentence]) -> Annotated:
    """Puts `[contradicted]` or `[not confirmed]` behind each of these sentences of `original`.

    Nothing is put into links, code and tables: behind a table stands a paragraph that names its cells.
    """
    cells = table_cells(original) if doubtful else {}
    tables = _table_marks(original, cells, doubtful)
    placed = []
    for sentence in doubtful:
        if Span(sentence.start, sentence.end) in cells:
            place = next(it for table, it in tables.items() if table.start <= sentence.start < table.end)
        else:
            place = mark_place(original, sentence.end), f"[{_doubt(sentence)}]"
        placed.append((sentence, place))
    text, places = with_marks(original, dict.fromkeys(place for _, place in placed))
    marks = tuple(
        DoubtMark(
            kind=_doubt(sentence),
            start=places[place].start,
            end=places[place].end,
            sentence_start=sentence.start,
            sentence_end=sentence.end,
        )
        for sentence, place in placed
    )
    return Annotated(text, marks, tuple((at, span) for (at, _), span in places.items()))


def _doubt(sentence: Sentence) -> Doubt:
    return "contradicted" if sentence.status == "contradicted" else "not confirmed"


def _table_marks(
    original: str, cells: Mapping[Span, Cell], doubtful: Sequence[Sentence]
) -> dict[Span, tuple[int, str]]:
    """Returns for each table with doubtful cells its mark, a paragraph behind it, and where it stands."""
    inside = [sentence for sentence in doubtful if Span(sentence.start, sentence.end) in cells]
    end = next(iter(re.findall(r"\r\n|\r|\n", original)), "\n")
    marks = {}
    for block in blocks(original) if inside else ():
        if block.kind != "table":
            continue
        stated = defaultdict[Doubt, list[str]](list)
        for sentence in inside:
            if block.start <= sentence.start < block.end:
                stated[_doubt(sentence)].append(cells[Span(sentence.start, sentence.end)].statement(original))
        at = block.start + len(original[block.start : block.end].rstrip())
        mark = "".join(f"{end * 2}[{kind}: {'; '.join(those)}]" for kind, those in stated.items())
        marks[Span(block.start, block.end)] = at, mark + end * bool(_NEXT_LINE.match(original, at))
    return marks
