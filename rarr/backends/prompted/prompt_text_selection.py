"""Selects what a prompt shows of a text and its evidence: the sentences of a query, or the whole text."""

from typing import NamedTuple

from rarr.records import Evidence, Query
from rarr.tools.text.blocks_and_sentences import Span, sentences, table_cells

NOTHING = "(none)"


def quoted_evidence(evidence: Evidence) -> str:
    """Returns the text of an evidence under the title of its page, which often names the subject.

    Other people wrote these words: `Prompt.render` makes sure that nothing in them ends the quotation.
    """
    return f"# {evidence.title}\n{evidence.text}" if evidence.title else evidence.text


class Scope(NamedTuple):
    """The characters to look at, and the sentence before them, which explains their pronouns."""

    span: Span
    before: str


def scope_of(text: str, query: Query, *, whole: bool) -> Scope:
    """Selects the sentences of a query that has its place in `text`, or with `whole` the whole text.

    For a heading these are its lines, and for the cell of a table its row, with the header as `before`.
    """
    if whole:
        return Scope(Span(0, len(text)), NOTHING)
    place = Span(query.start, query.end)
    spans = sentences(text)
    about = [index for index, span in enumerate(spans) if span.overlaps(place)]
    if not about:  # a heading: its lines
        return Scope(_lines(text, place), NOTHING)
    if (cell := table_cells(text).get(spans[about[0]])) is not None:
        return Scope(_lines(text, place), _lines(text, cell.column).of(text))
    first, last = about[0], about[-1]
    before = spans[first - 1].of(text) if first else NOTHING
    return Scope(Span(spans[first].start, spans[last].end), before)


def _lines(text: str, place: Span) -> Span:
    end = text.find("\n", place.end)
    return Span(text.rfind("\n", 0, place.start) + 1, len(text) if end < 0 else end)
