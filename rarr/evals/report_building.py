"""Turns rows and their revisions into scored rows, and these into the report of an evaluation."""

from collections.abc import Mapping, Sequence

from rarr.evals.measures import measured
from rarr.evals.metrics import edit_kinds
from rarr.evals.report_records import AnswerScores, EvalReport, ScoredRow, Unreadable
from rarr.evals.rows import EvalRow
from rarr.evals.run_folder import FinishedLine
from rarr.records import Revision


class Prediction(FinishedLine):
    """A line of `predictions.jsonl`: the revision of the row with this id, or the reason why it has none.

    `answer_scores` compares it with right answers (see `ScoredRow`).
    """

    revision: Revision | None = None
    answer_scores: AnswerScores | None = None


def scored(row: EvalRow, prediction: Prediction) -> ScoredRow:
    """Joins a row with its revision's scores; after an error, it has the original text and no scores."""
    revision = prediction.revision
    if revision is None:
        return ScoredRow(
            id=row.id,
            context=row.context,
            original=row.text,
            text=row.text,
            reference=row.revised,
            has_answers=bool(row.answers),
            error=prediction.error,
        )
    scores = revision.scores
    return ScoredRow(
        id=row.id,
        context=row.context,
        original=row.text,
        text=revision.text,
        reference=row.revised,
        scores=scores,
        kinds=tuple(
            sorted(edit_kinds(scores.attribution_before, scores.attribution_after, scores.preservation))
        ),
        statuses=tuple(sentence.status for sentence in revision.report.sentences),
        has_answers=bool(row.answers),
        answer_scores=prediction.answer_scores,
        edits=sum(edit.accepted for edit in revision.edits),
        refused_edits=sum(edit.state == "refused" for edit in revision.edits),
        model_calls=revision.usage.model_calls,
        seconds=revision.usage.seconds,
    )


def report_of(
    data: str, settings: Mapping[str, str], rows: Sequence[ScoredRow], unreadable: Sequence[Unreadable]
) -> EvalReport:
    """Computes all measures of `rows`, and makes the report, with the rows in their order."""
    return EvalReport(
        data=data,
        settings=dict(settings),
        measures=measured(rows),
        rows=tuple(rows),
        unreadable=tuple(unreadable),
    )
