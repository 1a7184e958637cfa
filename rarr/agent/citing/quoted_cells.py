"""Finds the cells of tables that stand word for word in a source, in a row with the same header.

Research reads windows of a few rows, often without the header of the table and its subject. So it may not
confirm a cell that was copied from the source.
"""

from collections.abc import Iterator, Mapping, Sequence

from rarr.agent.citing.citation_planning import PlannedCitation, mark_place
from rarr.backends.rules.name_matching import key_words
from rarr.backends.rules.standalone_claims import claims
from rarr.records import Evidence, Passage, Revision, Sentence
from rarr.tools.guard.injection import suspicion
from rarr.tools.text.blocks_and_sentences import Span, table_cells
from rarr.tools.text.markdown_tables import Cell

_OPEN = ("unconfirmed", "no_evidence", "unjudged")


def open_cells(research: Revision, settled: Sequence[Span]) -> list[Sentence]:
    """Returns the cells of tables that the research neither supports nor contradicts, outside `settled`."""
    cells = table_cells(research.text)
    return [
        sentence
        for sentence in research.report.sentences
        if Span(sentence.start, sentence.end) in cells
        and sentence.status in _OPEN
        and not any(Span(sentence.start, sentence.end).overlaps(span) for span in settled)
    ]


def quoted_cells(
    text: str, context: str | None, cells: Sequence[Sentence], by_source: Mapping[str, Sequence[Passage]]
) -> Iterator[PlannedCitation]:
    """Plans a citation for each cell that a row of a source has, with the same header of its row.

    A row of the source must also have the header of the column, in the same place. The source must name the
    subject of the text. `by_source` has all passages of each source.
    """
    known = table_cells(text)
    for number, sentence in enumerate(cells, start=1):
        span = Span(sentence.start, sentence.end)
        passage = _saying(text, context, known[span], by_source)
        if passage is not None:
            evidence = Evidence(
                **passage.model_dump(include=set(Passage.model_fields)),
                id=f"t{number}", query_id="", relevance=1.0,
            )  # fmt: skip
            unscored = sentence.model_copy(update={"support": None})
            yield PlannedCitation(mark_place(text, span.end, span.end), unscored, evidence, (span.of(text),))


def _saying(
    text: str, context: str | None, cell: Cell, by_source: Mapping[str, Sequence[Passage]]
) -> Passage | None:
    topic = next((claim.topic for claim in claims(text, context) if claim.span == cell.span), "")
    for passages in by_source.values():
        whole = " ".join(f"{each.title} {each.text}" for each in passages)
        if not set(key_words(topic)) <= set(key_words(whole)):
            continue
        rows = [row for each in passages for row in _rows(each.text)]
        for passage in passages:
            if _has_row(passage.text, rows, text, cell) and not suspicion(f"{passage.title}\n{passage.text}"):
                return passage
    return None


def _has_row(passage: str, rows: Sequence[Sequence[str]], text: str, cell: Cell) -> bool:
    """Has the passage the cell in a row with its header, and one of `rows` the header of its column?"""
    row, column, own = (_plain(span.of(text)) for span in (cell.row, cell.column, cell.span))
    return any(
        each[0] == row and any(len(other) > at and other[at] == column for other in rows)
        for each in _rows(passage)
        if own in each[1:]
        for at in [each.index(own, 1)]
    )


def _rows(text: str) -> list[list[str]]:
    return [_cells(line) for line in text.splitlines() if "|" in line]


def _cells(line: str) -> list[str]:
    return [_plain(cell) for cell in line.strip().strip("|").split("|")]


def _plain(cell: str) -> str:
    return " ".join(cell.strip(" *_`").split()).casefold()
