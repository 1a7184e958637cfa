"""Declares the rows of noising, and reads and splits those of a run."""

import random
from collections import Counter
from collections.abc import Sequence
from pathlib import Path
from typing import Literal

from rarr.backends.prompted.noising import ErrorKind
from rarr.errors import InputError
from rarr.evals.run_folder import FinishedLine, finished_lines
from rarr.records import Evidence, Record
from rarr.tools.text.wording import counted

Reason = Literal["no_evidence", "no_summary", "unjudged", "unattributable", "no_error", "undetected"]
REASONS: dict[Reason, str] = {
    "no_evidence": "no passage is relevant enough",
    "no_summary": "the evidence does not answer it",
    "unjudged": "the verifier could not judge a sentence",
    "unattributable": "a sentence is not supported by one passage",
    "no_error": "no error fits the summary",
    "undetected": "an error leaves its sentence as well supported",
}
HELD_OUT = 0.25  # share of the rows that nothing learns from


class Mistake(Record):
    """An error: `wrong` replaced `right`, which stands at `start` of the summary."""

    start: int
    right: str
    wrong: str
    kind: ErrorKind


class SentenceScore(Record):
    """A sentence of the summary, the passage that supports it best, and the support (0 to 1).

    `corrupted` is the best support of the sentence with its errors.
    """

    start: int
    end: int
    evidence_id: str
    support: float
    corrupted: float


class TrainingRow(Record):
    """The row of one query. `relevant` is E+, `others` is E-, with sources and relevances, best first.

    `model` wrote summary and errors with the `prompts` of these hashes; `verifier` gave the scores.
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
    def document(self) -> str:
        """The source of the passage that supports the first sentence."""
        best = self.scores[0].evidence_id
        return next(passage.source for passage in self.relevant if passage.id == best)


class NoisedLine(FinishedLine):
    """The row of a query, which is its id, or the reason why it has none, with the texts written before."""

    row: TrainingRow | None = None
    reason: Reason | None = None
    summary: str = ""
    corrupted: str = ""


def rows(data: Path) -> list[TrainingRow]:
    """Reads the rows in the folder of a run of noising; at least two, since one is held out.

    Raises `InputError` for fewer, and for a damaged line.
    """
    made = [line.row for line in finished_lines(data, NoisedLine) if line.row is not None]
    if len(made) < 2:
        raise InputError(
            f"{data} has {counted(len(made), 'row')}, and one is held out: give a folder with at least 2 rows"
            " of rarr train data"
        )
    return made


def split_rows(given: Sequence[TrainingRow], seed: int) -> tuple[list[TrainingRow], list[TrainingRow]]:
    """Splits rows: those to learn from, and about a quarter to fit the threshold and to measure with.

    No document is in both, unless one document has more than half of the rows: then no query is.
    """
    groups = [row.document for row in given]
    if max(Counter(groups).values()) > len(given) / 2:
        groups = [row.query for row in given]
    order = sorted(set(groups))
    random.Random(seed).shuffle(order)
    held: set[str] = set()
    while sum(group in held for group in groups) < max(1, int(len(given) * HELD_OUT)):
        held.add(order.pop())
    pairs = list(zip(given, groups, strict=True))
    return [row for row, group in pairs if group not in held], [row for row, group in pairs if group in held]


def corrupted(summary: str, edits: Sequence[Mistake]) -> str:
    """Puts the errors `edits`, which are in order and do not overlap, into the summary."""
    for edit in reversed(edits):
        summary = summary[: edit.start] + edit.wrong + summary[edit.start + len(edit.right) :]
    return summary
