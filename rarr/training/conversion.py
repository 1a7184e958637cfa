"""Rows of noising as training examples; no torch is needed for it."""

from collections.abc import Iterator
from itertools import groupby
from typing import NamedTuple

from rarr.records import Evidence
from rarr.training.examples import Attribution, Cloze, Place, Relevance, Version
from rarr.training.noising.rows import Mistake, Row, corrupted
from rarr.training.spans import Corrected, shared

SOURCE = "noising"
NEGATIVES = 3  # passages of E- beside each of E+


class _Part(NamedTuple):
    """Sentences of the summary in a row, of which one passage is the best, with their errors."""

    text: str
    evidence: Evidence
    edits: tuple[Mistake, ...]


def attribution(row: Row) -> Iterator[Attribution]:
    """Each part as it is right, and with its errors, which its passage contradicts."""
    for part in _parts(row):
        versions = [Version(text=part.text, label="attributable", wrong=())]
        if part.edits:
            text, wrong = corrupted(part.text, part.edits), tuple(_wrong_places(part.edits))
            versions.append(Version(text=text, label="contradictory", wrong=wrong))
        yield Attribution(
            source=SOURCE,
            title=part.evidence.title,
            passage=part.evidence.text,
            versions=tuple(versions),
        )


def cloze(row: Row) -> Iterator[Cloze]:
    """Each part with what its passage says too; of an error, the right words, where the passage says them."""
    for part in _parts(row):
        evidence = part.evidence
        errors = [Corrected((edit.start, edit.end), edit.right, edit.wrong) for edit in part.edits]
        if values := shared(part.text, evidence.title, evidence.text, errors):
            yield Cloze(
                source=SOURCE,
                text=part.text,
                title=evidence.title,
                passage=evidence.text,
                values=tuple(values.values()),
            )


def relevance(row: Row) -> Iterator[Relevance]:
    """The query with each passage of E+ first, then passages of E-; none where a search brought no other."""
    others = tuple((one.title, one.text) for one in row.others[:NEGATIVES])
    for one in row.relevant if others else ():
        yield Relevance(source=SOURCE, query=row.query, passages=((one.title, one.text), *others))


def texts(row: Row) -> Iterator[str]:
    """What a search compares."""
    yield row.query
    yield from (one.text for one in row.relevant)


def _parts(row: Row) -> Iterator[_Part]:
    evidence = {one.id: one for one in row.relevant}
    for name, group in groupby(row.scores, key=lambda score: score.evidence_id):
        scores = list(group)
        start, end = scores[0].start, scores[-1].end
        edits = tuple(
            edit.model_copy(update={"start": edit.start - start})
            for edit in row.edits
            if start <= edit.start and edit.end <= end
        )
        yield _Part(row.summary[start:end], evidence[name], edits)


def _wrong_places(edits: tuple[Mistake, ...]) -> Iterator[Place]:
    shift = 0
    for edit in edits:
        start = edit.start + shift
        yield start, start + len(edit.wrong)
        shift += len(edit.wrong) - len(edit.right)
