"""Marks in a text the sentences and cells of tables that evidence contradicts or does not confirm."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence
from typing import NamedTuple

from rarr.agent.citing.citation_insertion import with_marks
from rarr.agent.citing.citation_planning import mark_place
from rarr.records import Sentence
from rarr.records.postprocessing import Doubt, DoubtMark
from rarr.tools.text.blocks_and_sentences import Span, blocks, table_cells
from rarr.tools.text.markdown_tables import Cell

_NEXT_LINE = re.compile(r"[ \t]*(?:\r\n|\r|\n)[ \t]*[^\s]")
"""A line with words directly behind a table: it would continue the paragraph of the mark."""


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


def doubt(sentence: Sentence) -> Doubt:
    """Names the doubt about a sentence that evidence does not support: `contradicted` or `not confirmed`."""
    return "contradicted" if sentence.status == "contradicted" else "not confirmed"


def annotated(original: str, doubtful: Sequence[Sentence]) -> Annotated:
    """Puts `[contradicted]` or `[not confirmed]` behind each of these sentences of `original`.

    Nothing is put into links, code and tables: behind a table stands a paragraph that names its cells.
    """
    placed = [
        (sentence, *place) for sentence, place in zip(doubtful, _places(original, doubtful), strict=True)
    ]
    text, places = with_marks(original, dict.fromkeys((at, mark) for _, at, mark in placed))
    marks = tuple(
        DoubtMark(
            kind=doubt(sentence),
            start=places[at, mark].start,
            end=places[at, mark].end,
            sentence_start=sentence.start,
            sentence_end=sentence.end,
        )
        for sentence, at, mark in placed
    )
    return Annotated(text, marks, tuple((at, span) for (at, _), span in places.items()))


def _places(original: str, doubtful: Sequence[Sentence]) -> list[tuple[int, str]]:
    """Returns for each sentence where its mark stands, and the mark.

    For a cell, this is behind the table, and the mark names all doubtful cells of the table.
    """
    cells = table_cells(original)
    tables = _table_marks(original, cells, doubtful)
    return [
        next(mark for table, mark in tables.items() if table.start <= sentence.start < table.end)
        if Span(sentence.start, sentence.end) in cells
        else (mark_place(original, sentence.end, sentence.end), f"[{doubt(sentence)}]")
        for sentence in doubtful
    ]


def _table_marks(
    original: str, cells: Mapping[Span, Cell], doubtful: Sequence[Sentence]
) -> dict[Span, tuple[int, str]]:
    """Returns for each table with doubtful cells where its mark stands, and the mark."""
    inside = [sentence for sentence in doubtful if Span(sentence.start, sentence.end) in cells]
    marks = {}
    for table in _tables(original) if inside else ():
        own = [sentence for sentence in inside if table.start <= sentence.start < table.end]
        at = table.start + len(table.of(original).rstrip())
        followed = _NEXT_LINE.match(original, at)
        marks[table] = at, _table_mark(original, cells, own) + (_line_end(original) if followed else "")
    return marks


def _table_mark(original: str, cells: Mapping[Span, Cell], doubtful: Sequence[Sentence]) -> str:
    """Writes the paragraph behind a table, with the line ends of the text."""
    by_kind: dict[Doubt, list[str]] = defaultdict(list)
    for sentence in doubtful:
        by_kind[doubt(sentence)].append(cells[Span(sentence.start, sentence.end)].statement(original))
    gap = _line_end(original) * 2
    return "".join(f"{gap}[{kind}: {'; '.join(stated)}]" for kind, stated in by_kind.items())


def _line_end(original: str) -> str:
    return next(iter(re.findall(r"\r\n|\r|\n", original)), "\n")


def _tables(original: str) -> list[Span]:
    return [Span(block.start, block.end) for block in blocks(original) if block.kind == "table"]
