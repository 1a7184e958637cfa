"""Fits when a trained editor corrects: the least probability at which nine of ten corrections are right."""

from collections.abc import Iterator, Sequence
from itertools import accumulate
from pathlib import Path

from rarr.backends.encoder.editor import correction
from rarr.backends.encoder.model import Encoder
from rarr.backends.encoder.model_files import FACTS, NEVER, checked_manifest
from rarr.tools.storage.files import write_whole
from rarr.training.noising.row_files import TrainingRow
from rarr.training.noising_examples import attribution

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
