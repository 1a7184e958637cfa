"""The training rows that noising (putting errors into texts) makes, and how to read and split them."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from rarr.backends.prompted.noising import ErrorKind
from rarr.errors import InputError
from rarr.evals.run_folder import FinishedLine, read_and_repair_lines
from rarr.records import Evidence, Record
from rarr.tools.text.wording import counted

Reason = Literal["no_evidence", "no_summary", "unjudged", "unattributable", "no_error", "undetected"]
REASONS: dict[Reason, str] = {
    "no_evidence": "no passage is relevant enough",
    "no_summary": "the evidence does not answer the query",
    "unjudged": "the verifier could not judge a sentence",
    "unattributable": "a sentence is not supported by one passage",
    "no_error": "no error fits the summary",
    "undetected": "the support of a sentence with an error is not lower",
}
HELD_OUT_SHARE = 0.25  # the share of rows that training does not see


class Mistake(Record):
    """An error in a text. `wrong` replaces `right`, which begins at character `start` of the right text."""

    start: int
    right: str
    wrong: str
    kind: ErrorKind


class SentenceScore(Record):
    """A sentence of the summary, from `start` to `end`, and how well passages support it (0 to 1)."""

    start: int
    end: int
    evidence_id: str  # the passage that supports the sentence best
    support: float  # the best support of the sentence
    corrupted: float  # the best support of the sentence after its errors were put in


class TrainingRow(Record):
    """What one query gives for training: a text that answers it, the same text with errors, and passages."""

    query: str
    summary: str  # the right text
    corrupted: str  # the text with the errors
    edits: tuple[Mistake, ...]  # the errors
    relevant: tuple[Evidence, ...]  # E+: the passages that the text was written from
    others: tuple[Evidence, ...]  # E-: less relevant passages, the most relevant first
    scores: tuple[SentenceScore, ...]
    model: str  # the model that wrote the text and the errors
    verifier: str  # what computed the scores
    prompts: dict[str, str]  # the hashes of the prompts by name

    @property
    def source_document(self) -> str:
        """Returns the source of the passage that best supports the first sentence."""
        best = self.scores[0].evidence_id
        return next(passage.source for passage in self.relevant if passage.id == best)


class NoisedLine(FinishedLine):
    """The result of a query: a training row, or the reason why there is no row. `id` is the query."""

    row: TrainingRow | None = None
    reason: Reason | None = None
    summary: str = ""
    corrupted: str = ""


def read_training_rows(data: Path) -> list[TrainingRow]:
    """Reads the training rows in the folder `data`, which a run of `rarr train data` wrote.

    Raises `InputError` if a line is damaged, or if there are fewer than two rows: one must be held out.
    """
    made = [line.row for line in read_and_repair_lines(data, NoisedLine) if line.row is not None]
    if len(made) < 2:
        raise InputError(
            f"{data} has {counted(len(made), 'row')}, and a row is held out: give a folder of rarr train data"
            " with at least 2 rows"
        )
    return made


def split_rows(given: Sequence[TrainingRow], seed: int) -> tuple[list[TrainingRow], list[TrainingRow]]:
    """Returns the rows to learn from, and the held-out rows (about a quarter of all).

    Rows of one document are in one list. If a document has over half of all rows, splits by query instead.
    """
    groups = [row.source_document for row in given]
    if max(Counter(groups).values()) > len(given) / 2:
        groups = [row.query for row in given]
    order = sorted(set(groups))
    random.Random(seed).shuffle(order)
    held: set[str] = set()
    while sum(group in held for group in groups) < max(1, int(len(given) * HELD_OUT_SHARE)):
        held.add(order.pop())
    pairs = list(zip(given, groups, strict=True))
    return [row for row, group in pairs if group not in held], [row for row, group in pairs if group in held]


def with_errors(summary: str, edits: Sequence[Mistake]) -> str:
    """Puts the errors `edits` into the summary. The errors must be in order, and must not overlap."""
    for edit in reversed(edits):
        summary = summary[: edit.start] + edit.wrong + summary[edit.start + len(edit.right) :]
    return summary
