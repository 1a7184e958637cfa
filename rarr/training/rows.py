"""The training rows that noising makes, and how to read and split the rows of a run."""

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
HELD_OUT_SHARE = 0.25  # share of the rows that training does not see


class Mistake(Record):
    """An error: `wrong` replaces `right`, which begins at the character `start` of the right text."""

    start: int
    right: str
    wrong: str
    kind: ErrorKind


class SentenceScore(Record):
    """A sentence of the summary, with the passage that supports it best, and this support (0 to 1).

    `corrupted` is the best support of the sentence after its errors were put in.
    """

    start: int
    end: int
    evidence_id: str
    support: float
    corrupted: float


class TrainingRow(Record):
    """The training row of a query. `relevant` (E+) and `others` (E-) are passages, the most relevant first.

    `model` wrote `summary` and errors. `prompts` are the hashes of its prompts. `verifier` gave the scores.
    """

    query: str
    summary: str
    corrupted: str
    edits: tuple[Mistake, ...]
    relevant: tuple[Evidence, ...]
    others: tuple[Evidence, ...]
    scores: tuple[SentenceScore, ...]
    model: str
    verifier: str
    prompts: dict[str, str]

    @property
    def source_document(self) -> str:
        """Returns the source of the passage that best supports the first sentence."""
        best = self.scores[0].evidence_id
        return next(passage.source for passage in self.relevant if passage.id == best)


class NoisedLine(FinishedLine):
    """The result of a query (`id` is its text): a row, or the reason why there is no row."""

    row: TrainingRow | None = None
    reason: Reason | None = None
    summary: str = ""
    corrupted: str = ""


def read_training_rows(data: Path) -> list[TrainingRow]:
    """Reads the rows in the folder of a run of noising.

    Raises `InputError` for a damaged line, and for fewer than two rows, because a row is held out.
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

    No document is in both. If one document has more than half of the rows, no query is in both.
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
    """Returns the summary with the errors `edits` put in. They are in order and do not overlap."""
    for edit in reversed(edits):
        summary = summary[: edit.start] + edit.wrong + summary[edit.start + len(edit.right) :]
    return summary
