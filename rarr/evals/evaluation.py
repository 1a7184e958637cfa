"""Evaluates data: every row is revised and scored once, even if the process is interrupted in between."""

import asyncio
from collections.abc import Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import cached_property
from pathlib import Path
from typing import get_args

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.components import Baseline, Components, QueryKind, close_all
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.html import render_html
from rarr.evals.measures import EvalReport, ScoredRow, measured
from rarr.evals.metrics.texts import edit_kinds
from rarr.evals.rows import EvalRow, RowEvidence, read_rows
from rarr.evals.run_fingerprint import corpora, described, run_inputs
from rarr.evals.run_folder import FinishedLine
from rarr.records import UNNAMED, Passage, Revision
from rarr.retrievers.corpus.index_building import Progress
from rarr.retrievers.fetch.cached_page_passages import passages_of
from rarr.retrievers.web.nearest_passages import nearest_by_source
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.text.wording import nothing_checked

_EXAMPLE = '{"text": "..."} for each text'


class Prediction(FinishedLine):
    """A line of `predictions.jsonl`: the revision of the row with this id, or the reason why it has none."""

    revision: Revision | None = None


def evaluate(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    components: Components | None = None,
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
    evidence, otherwise `settings` name what is searched. Give either `settings` or `components`. `on_row` is
    called with the number of finished rows and of all rows, `on_index` with the same numbers for a corpus's
    files.

    Baselines to compare with: `queries` are searched for, either questions, or each of the text's sentences,
    or the whole text. Without `agreement`, an edit is made wherever the editor finds a change. The `editor`
    `efec` corrects and `lamda` writes anew the whole text by all its evidence, both with a language model;
    `lamda` also writes its own searches, and its report has all evidence. `random` replaces a word of each
    sentence by a word of the evidence; `none` edits nothing.

    Raises `RarrError` before anything is spent: for data without a row, a missing model, or an `out` that is
    in use or holds another run. A row that cannot be revised, or of which nothing could be checked, is an
    error in the report; the next call repeats it.
    """
    baseline = Baseline(agreement=agreement, editor=editor)
    _require_one_way(settings, components, baseline, queries)
    source, path = read_rows(Path(data), EvalRow, _EXAMPLE), Path(out)
    settings = components.settings if components else settings or Settings()
    if queries != "questions":
        settings = settings.model_copy(update={"queries": queries})
    description = described(settings, components, baseline)
    made_with = run_inputs(source.digest, description, corpora([settings.corpus], settings.max_file_mb))

    def revising() -> RowReviser:
        made = components or wire(settings, on_index, baseline=baseline)
        return RowReviser(made, closes=components is None)

    rows: list[ScoredRow] = run_folder.run_rows(
        source.rows, path, Prediction, made_with, revising,
        chosen=run_folder.first(source.rows, limit), jobs=jobs, on_row=on_row, result_of=scored,
    )  # fmt: skip
    report = EvalReport(
        data=str(data),
        settings=description,
        measures=measured(rows),
        rows=tuple(rows),
        unreadable=tuple(source.unreadable),
    )
    run_folder.finish(path, report, render_html(report))
    return report


def _require_one_way(
    settings: Settings | None, components: Components | None, baseline: Baseline, queries: QueryKind
) -> None:
    if settings is not None and components is not None:
        raise InputError("settings and components are both given: components bring their own settings")
    if queries not in get_args(QueryKind):
        raise InputError(f"queries is {queries!r}: give one of {', '.join(get_args(QueryKind))}")
    changes = [*baseline.changes(), *(["queries"] if queries != "questions" else [])]
    if components is not None and changes:
        names = ", ".join(changes)
        raise InputError(f"components and a baseline ({names}) are both given: give settings instead")


class RowReviser:
    """Revises rows with the same components, but with a row's own evidence as the retriever.

    With `closes`, the components are closed with it.
    """

    def __init__(self, components: Components, *, closes: bool = True) -> None:
        self._components, self._closes = components, closes

    async def line(self, row: EvalRow) -> Prediction:
        """Revises a row; the prediction has an error if that failed or nothing of the text could be checked.

        Only a defect of the program raises an error.
        """
        components = self._components
        if row.evidence is not None:
            components = replace(components, retriever=RowRetriever(row.evidence, components.settings))
        try:
            reviser = await in_thread(lambda: Reviser(components=components))
            revision = await reviser.arevise(row.text, row.context)
        except RarrError as error:
            return Prediction(id=row.id, error=str(error))
        if why := nothing_checked(revision):
            return Prediction(id=row.id, error=f"nothing could be checked: {why}")
        return Prediction(id=row.id, revision=revision)

    async def aclose(self) -> None:
        """Closes the components that were made for these rows."""
        if self._closes:
            await close_all((*self._components.models, *self._components.opened))


class RowRetriever:
    """A retriever over given `evidence`, which is cut into windows of sentences as in a corpus.

    Pieces of evidence from one source are joined to one document. A piece without a source is a document by
    itself.
    """

    offline = True

    def __init__(self, evidence: Sequence[RowEvidence], settings: Settings) -> None:
        self._evidence, self._window, self._step = evidence, settings.window, settings.step

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Finds passages of the `k` documents nearest to `query`, best first; at most 8 of each document.

        A document without a word in common is returned too: its author meant it for this text.
        """
        return await asyncio.to_thread(lambda: nearest_by_source(self._passages, query, k))

    @cached_property
    def _passages(self) -> list[Passage]:
        now, ends, passages = datetime.now(UTC), dict[str, int](), list[Passage]()
        for number, piece in enumerate(self._evidence, start=1):
            source = piece.source or f"{UNNAMED}{number}"
            passages += passages_of(
                piece.text, source=source, title=piece.title, window=self._window, step=self._step,
                retrieved_at=now, published_at=piece.published_at, offset=ends.get(source, 0),
            )  # fmt: skip
            ends[source] = ends.get(source, 0) + len(piece.text) + 1
        return passages


def scored(row: EvalRow, prediction: Prediction) -> ScoredRow:
    """Joins a row with its revision's scores; after an error, it has the original text and no scores."""
    known = ScoredRow(
        id=row.id,
        context=row.context,
        original=row.text,
        text=row.text,
        reference=row.revised,
        error=prediction.error,
    )
    if (revision := prediction.revision) is None:
        return known
    scores = revision.scores
    kinds = edit_kinds(scores.attribution_before, scores.attribution_after, scores.preservation)
    return known.model_copy(
        update={
            "text": revision.text,
            "scores": scores,
            "kinds": tuple(sorted(kinds)),
            "statuses": tuple(sentence.status for sentence in revision.report.sentences),
            "edits": sum(edit.accepted for edit in revision.edits),
            "refused_edits": sum(edit.state == "refused" for edit in revision.edits),
            "model_calls": revision.usage.model_calls,
            "seconds": revision.usage.seconds,
        }
    )
