"""Declares the records of an evaluation's report: its rows, and the measures over all rows."""

from pydantic import Field

from rarr.evals.metrics import EditKind, Measured, Paired
from rarr.records import Record, Scores, Status


class AnswerScores(Record):
    """How well a text says the right answer of its row, before and after the revision, from 0 to 1."""

    before: float
    after: float


class ScoredRow(Record):
    """One text of an evaluation. `reference` is a person's revision, if the data have one.

    `kinds` are the kinds of edit of the whole revision (PURR). `has_answers`: the data have
    right answers, and `answer_scores` compares the text with them. `seconds` is wall time. With an `error`
    nothing was revised, or nothing of the text could be checked: `text` is the original, and there are no
    scores.
    """

    id: str
    context: str | None = None
    original: str
    text: str
    reference: str | None = None
    scores: Scores = Scores()
    kinds: tuple[EditKind, ...] = ()
    statuses: tuple[Status, ...] = ()
    has_answers: bool = False
    answer_scores: AnswerScores | None = None
    edits: int = 0
    refused_edits: int = 0
    model_calls: int = 0
    seconds: float = 0.0
    error: str = ""


class Unreadable(Record):
    """A line of the data that is not a row, and the reason."""

    line: int
    reason: str


class EvalReport(Record):
    """The report of an evaluation: `measures` by name, such as `f1_ap`, and all rows.

    `settings` are those that differ from the defaults.
    """

    data: str
    settings: dict[str, str] = Field(default_factory=dict)
    measures: dict[str, Measured] = Field(default_factory=dict)
    rows: tuple[ScoredRow, ...] = ()
    unreadable: tuple[Unreadable, ...] = ()


class Compared(Record):
    """One measure of two runs, `a` and `b`: the means over the rows that both judged, and `b - a`."""

    a: float | None = None
    b: float | None = None
    paired: Paired


class Comparison(Record):
    """The comparison of the evaluation runs in the folders `a` and `b`.

    `rows` counts the rows in both runs; `only_a` and `only_b` count those in only one run.
    """

    a: str
    b: str
    rows: int
    only_a: int = 0
    only_b: int = 0
    measures: dict[str, Compared] = Field(default_factory=dict)
