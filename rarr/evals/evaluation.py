"""Evaluates data: every row is revised and scored once, even if the process is interrupted in between."""

from pathlib import Path
from typing import Any, get_args

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.components import NO_BASELINE, Baseline, QueryKind
from rarr.errors import InputError
from rarr.evals import run_folder
from rarr.evals.metrics import edit_kinds
from rarr.evals.report import EvalReport, ScoredRow, measured, render_html
from rarr.evals.rows import EvalRow, read_rows
from rarr.evals.run_folder import FinishedLine, Worker
from rarr.records import Revision
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.text.wording import nothing_checked


class Prediction(FinishedLine):
    """A line of `predictions.jsonl`: the revision of the row with this id, or the reason why it has none."""

    revision: Revision | None = None


def evaluate(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    queries: QueryKind = "questions",
    agreement: bool = True,
    editor: str = "minimal",
    jobs: int = 4,
    limit: int | None = None,
    on_row: Progress | None = None,
    on_index: Progress | None = None,
) -> EvalReport:
    """Revises and scores the rows of the file `data` (see `rarr.evals.rows`), `jobs` rows at once.

    `out` becomes a folder with `predictions.jsonl`, a line for each row, `report.json` and `report.html`. The
    same call continues an interrupted run. `limit`: revise only the first rows. A row may bring its own
    evidence, otherwise `settings` name what is searched. `on_row` is called with the number of finished rows
    and of all rows, `on_index` with the same numbers for a corpus's files.

    `queries`, `agreement` and `editor` (see `rarr.components.Baseline`) make baselines to compare with.

    Raises `RarrError` before anything is spent: for data without a row, a missing model, or an `out` that is
    in use or holds another run. A row that cannot be revised, or of which nothing could be checked, is an
    error in the report; the next call repeats it.
    """
    baseline, path = Baseline(agreement=agreement, editor=editor), Path(out)
    if queries not in get_args(QueryKind):
        raise InputError(f"queries is {queries!r}: give one of {', '.join(get_args(QueryKind))}")
    texts = read_rows(Path(data), EvalRow, '{"text": "..."} for each text')
    settings = settings or Settings()
    if queries != "questions":
        settings = settings.model_copy(update={"queries": queries})
    description = run_folder.described(settings) | {k: str(v) for k, v in baseline.changes().items()}
    rows: list[ScoredRow] = run_folder.run_rows(
        texts, path, Prediction,
        run_folder.inputs("rarr eval", texts, description, run_folder.corpus_digest(settings)),
        lambda: row_reviser(settings, baseline, on_index),
        chosen=run_folder.first(texts, limit), jobs=jobs, on_row=on_row, result_of=scored,
    )  # fmt: skip
    report = EvalReport(data=str(data), settings=description, measures=measured(rows), rows=tuple(rows))
    run_folder.finish(path, report, render_html(report))
    return report


def row_reviser(
    settings: Settings, baseline: Baseline = NO_BASELINE, on_index: Progress | None = None
) -> Worker:
    """Revises rows by one reviser, each beside its own evidence where it has some."""
    reviser = Reviser(components=wire(settings, on_index, baseline=baseline, measuring=True))

    async def line(row: EvalRow) -> Prediction:
        given: dict[str, Any] = {}
        if row.evidence is not None:
            given = {"sources": [piece.given for piece in row.evidence], "search": "given"}
        revision = await reviser.arevise(row.text, row.context, **given)
        if why := nothing_checked(revision):
            return Prediction(id=row.id, error=f"nothing could be checked: {why}")
        return Prediction(id=row.id, revision=revision)

    return Worker(line, [reviser])


def scored(row: EvalRow, prediction: Prediction) -> ScoredRow:
    """Joins a row with its revision's scores; after an error, it has the original text and no scores."""
    known: dict[str, Any] = {"id": row.id, "context": row.context, "original": row.text}
    known |= {"reference": row.revised, "error": prediction.error}
    if (revision := prediction.revision) is None:
        return ScoredRow(**known, text=row.text)
    scores = revision.scores
    return ScoredRow(
        **known,
        text=revision.text,
        scores=scores,
        kinds=tuple(sorted(kind for kind, has in edit_kinds(scores).items() if has)),
        statuses=tuple(sentence.status for sentence in revision.report.sentences),
        edits=sum(edit.accepted for edit in revision.edits),
        refused_edits=sum(edit.state == "refused" for edit in revision.edits),
        model_calls=revision.usage.model_calls,
        seconds=revision.usage.seconds,
    )
