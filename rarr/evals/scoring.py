"""Makes the report of an evaluation from rows and their revisions."""

from collections.abc import Mapping, Sequence

from rarr.evals.measures import measured
from rarr.evals.metrics import edit_kinds
from rarr.evals.reports import EvalReport, ScoredRow, Unreadable
from rarr.evals.rows import EvalRow
from rarr.records import Record, Revision


class Prediction(Record):
    """A line of `predictions.jsonl`: the revision of the row with this id, or the reason why it has none."""

    id: str
    revision: Revision | None = None
    error: str = ""

    def line(self) -> bytes:
        """The prediction as one line of JSON, with the revision or the error."""
        other = "error" if self.revision else "revision"
        return self.model_dump_json(exclude={other}).encode() + b"\n"


def scored(row: EvalRow, prediction: Prediction) -> ScoredRow:
    """One row with the scores of its revision."""
    revision = prediction.revision
    if revision is None:
        return ScoredRow(
            id=row.id,
            context=row.context,
            original=row.text,
            text=row.text,
            reference=row.revised,
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
        edits=sum(edit.accepted for edit in revision.edits),
        refused_edits=sum(edit.state == "refused" for edit in revision.edits),
        model_calls=revision.usage.model_calls,
        seconds=revision.usage.seconds,
    )


def report_of(
    data: str, settings: Mapping[str, str], rows: Sequence[ScoredRow], unreadable: Sequence[Unreadable]
) -> EvalReport:
    """The report over `rows`, in their order."""
    return EvalReport(
        data=data,
        settings=dict(settings),
        measures=measured(rows),
        rows=tuple(rows),
        unreadable=tuple(unreadable),
    )
