"""Converts rows of noising into training examples, and fits by them when a trained editor corrects."""

from collections.abc import Iterator, Sequence
from itertools import accumulate, groupby
from pathlib import Path
from typing import NamedTuple

from rarr.backends.encoder.editor import correction
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import FACTS, NEVER, checked_manifest
from rarr.records import Evidence
from rarr.tools.storage.files import write_whole
from rarr.training.examples import Attribution, Cloze, LabelledText, Place, Relevance
from rarr.training.masks_and_answers import Corrected, shared
from rarr.training.rows import Mistake, TrainingRow, corrupted

SOURCE = "noising"
NEGATIVES = 3  # passages of E- beside each passage of E+


class _RowPart(NamedTuple):
    """Consecutive sentences of the summary that one passage supports best, with their errors."""

    text: str
    evidence: Evidence
    edits: tuple[Mistake, ...]


def attribution(row: TrainingRow) -> Iterator[Attribution]:
    """Yields an example for each part of the summary, beside the passage that supports it best.

    Its versions are the part as it is (attributable) and, if it has errors, with them (contradictory).
    """
    for part in _parts(row):
        versions = [LabelledText(text=part.text, label="attributable", wrong=())]
        if part.edits:
            text, wrong = corrupted(part.text, part.edits), tuple(_wrong_places(part.edits))
            versions.append(LabelledText(text=text, label="contradictory", wrong=wrong))
        yield Attribution(
            source=SOURCE,
            title=part.evidence.title,
            passage=part.evidence.text,
            versions=tuple(versions),
        )


def unrelated(row: TrainingRow) -> Iterator[Attribution]:
    """Yields parts of the summary, each beside another irrelevant passage (E-), labelled extrapolatory.

    The parts for which no such passage is left have no example.
    """
    for part, other in zip(_parts(row), row.others, strict=False):
        versions = (LabelledText(text=part.text, label="extrapolatory"),)
        yield Attribution(source=SOURCE, title=other.title, passage=other.text, versions=versions)


def cloze(row: TrainingRow) -> Iterator[Cloze]:
    """Yields each part with the values that its passage also states, and the right words of its errors.

    A part without such values is left out.
    """
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


def relevance(row: TrainingRow) -> Iterator[Relevance]:
    """Yields an example for each relevant passage (E+): the query, this passage, at most three others (E-).

    None if the row has no others.
    """
    others = tuple((passage.title, passage.text) for passage in row.others[:NEGATIVES])
    for passage in row.relevant if others else ():
        yield Relevance(source=SOURCE, query=row.query, passages=((passage.title, passage.text), *others))


def texts(row: TrainingRow) -> Iterator[str]:
    """Yields the query and its relevant passages: training keeps their embeddings as the search has them."""
    yield row.query
    yield from (passage.text for passage in row.relevant)


def _parts(row: TrainingRow) -> Iterator[_RowPart]:
    evidence = {passage.id: passage for passage in row.relevant}
    for name, group in groupby(row.scores, key=lambda score: score.evidence_id):
        scores = list(group)
        start, end = scores[0].start, scores[-1].end
        edits = tuple(
            edit.model_copy(update={"start": edit.start - start})
            for edit in row.edits
            if start <= edit.start and edit.end <= end
        )
        yield _RowPart(row.summary[start:end], evidence[name], edits)


def _wrong_places(edits: tuple[Mistake, ...]) -> Iterator[Place]:
    shift = 0
    for edit in edits:
        start = edit.start + shift
        yield start, start + len(edit.wrong)
        shift += len(edit.wrong) - len(edit.right)


RIGHT = 0.9
"""The least share of the corrections above the threshold that give the right text."""
FEWEST = 10  # corrections above a threshold

Proposal = tuple[float, bool]
"""The probability of a correction, and whether it makes the text right."""


def write_threshold(folder: Path, sure: float) -> None:
    """Writes the threshold into the `model.json` of a folder. Raises like `checked_manifest`."""
    facts = checked_manifest(folder).model_copy(update={"sure": sure})
    write_whole(folder / FACTS, facts.model_dump_json(indent=1) + "\n")


def fitted_threshold(folder: Path, rows: Sequence[TrainingRow]) -> float:
    """Fits the threshold for the weights in `folder`, which did not learn from `rows`."""
    encoder = Encoder(folder)
    return threshold([proposal for row in rows for proposal in proposals(encoder, row)])


def proposals(encoder: Encoder, row: TrainingRow) -> Iterator[Proposal]:
    """Lets the encoder correct each part of the summary, right and with its errors, beside its passage."""
    for example in attribution(row):
        right = example.versions[0].text
        for version in example.versions:
            found = correction(encoder, version.text, example.title, example.passage)
            if found is not None:
                yield found.probability, found.applied(version.text, example.passage) == right


def threshold(made: Sequence[Proposal]) -> float:
    """Finds the least threshold with enough right corrections above it; `NEVER` if there is none."""
    ordered = sorted(made, reverse=True)
    counts = accumulate(right for _, right in ordered)
    enough = [
        ordered[number - 1][0]
        for number, right in enumerate(counts, start=1)
        if number >= FEWEST
        and right >= RIGHT * number
        and (number == len(ordered) or ordered[number][0] < ordered[number - 1][0])
    ]
    return enough[-1] if enough else NEVER
