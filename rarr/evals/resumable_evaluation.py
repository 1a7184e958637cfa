"""Evaluates data: every row is revised once, even if the process is interrupted in between."""

import asyncio
from collections.abc import Iterator
from contextlib import contextmanager
from dataclasses import replace
from pathlib import Path
from typing import get_args

from rarr.agent.revise import Reviser
from rarr.agent.wiring.components import wire
from rarr.components import Baseline, Components, EditorKind, QueryKind, Retriever
from rarr.errors import InputError, RarrError
from rarr.evals import run_folder
from rarr.evals.kept_answers import answer_scores
from rarr.evals.report_building import Prediction, report_of, scored
from rarr.evals.report_records import EvalReport
from rarr.evals.resumable_row_processing import finish_rows
from rarr.evals.row_retriever import RowRetriever
from rarr.evals.rows import EvalRow, read_rows
from rarr.evals.run_fingerprint import corpora, described, run_inputs
from rarr.records import Revision
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.concurrency import in_thread
from rarr.tools.text.warning_lines import nothing_checked


def evaluate(
    data: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    components: Components | None = None,
    queries: QueryKind = "questions",
    agreement: bool = True,
    editor: EditorKind = "minimal",
    jobs: int = 4,
    limit: int | None = None,
    on_row: Progress | None = None,
    on_index: Progress | None = None,
) -> EvalReport:
    """Revises and scores the rows of the file `data` (see `rarr.evals.rows`), `jobs` rows at once.

    `out` becomes a folder with `predictions.jsonl`, a line for each row, `report.json` and `report.html`. The
    same call continues an interrupted run. `limit`: revise only the first rows. A row brings its own evidence
    or corpus, otherwise `settings` name what is searched. Give either `settings` or `components`. `on_row` is
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
    if jobs < 1 or (limit is not None and limit < 1):
        raise InputError("jobs and limit are numbers of rows: give at least 1")
    if settings is not None and components is not None:
        raise InputError("settings and components are both given: components bring their own settings")
    baseline = Baseline(agreement=agreement, editor=editor)
    if queries not in get_args(QueryKind):
        raise InputError(f"queries is {queries!r}: give one of {', '.join(get_args(QueryKind))}")
    changes = [*baseline.changes(), *(["queries"] if queries != "questions" else [])]
    if components is not None and changes:
        names = ", ".join(changes)
        raise InputError(f"components and a baseline ({names}) are both given: give settings instead")
    source, path = read_rows(Path(data)), Path(out)
    settings = components.settings if components else settings or Settings()
    if queries != "questions":
        settings = settings.model_copy(update={"queries": queries})
    description = described(settings, components, baseline)
    searched = [settings.corpus, *(row.corpus for row in source.rows)]
    made_with = run_inputs(source.digest, description, corpora(searched, settings.max_file_mb))
    with run_folder.claimed(path, made_with):
        chosen = source.rows[:limit]
        with _wired(settings, components, baseline, on_index) as parts:
            run_folder.begin(path, made_with)
            revising = _RowEvaluation(parts)
            rows = finish_rows(
                chosen,
                path,
                Prediction,
                of=source.rows,
                work_on=revising.predict,
                result_of=scored,
                aclose=revising.aclose,
                jobs=jobs,
                on_row=on_row,
            )
        report = report_of(str(data), description, rows, source.unreadable)
        run_folder.finish(path, report)
    return report


@contextmanager
def _wired(
    settings: Settings, components: Components | None, baseline: Baseline, on_index: Progress | None
) -> Iterator[Components]:
    """Yields the given components; without them, makes those of the settings and closes them at the end."""
    if components is not None:
        yield components
        return
    with Reviser(components=(made := wire(settings, on_index, baseline=baseline))):
        yield made


class _RowEvaluation:
    """Revises rows with the same components, but with a row's own evidence or corpus as the retriever."""

    def __init__(self, components: Components) -> None:
        self._components, self._settings = components, components.settings
        self._corpora: dict[Path, Corpus] = {}
        self._opening = asyncio.Lock()

    async def predict(self, row: EvalRow) -> Prediction:
        """Revises a row; the prediction has an error if that failed or nothing of the text could be checked.

        Only a defect of the program raises an error.
        """
        try:
            revision = await self._revise(row, await self._retriever(row))
        except RarrError as error:
            return Prediction(id=row.id, error=str(error))
        if why := nothing_checked(revision):
            return Prediction(id=row.id, error=f"nothing could be checked: {why}")
        answers = await asyncio.to_thread(answer_scores, row, revision.text)
        return Prediction(id=row.id, revision=revision, answer_scores=answers)

    async def aclose(self) -> None:
        """Closes the corpora of rows."""
        for corpus in self._corpora.values():
            await corpus.aclose()

    async def _revise(self, row: EvalRow, retriever: Retriever) -> Revision:
        components = replace(self._components, retriever=retriever)
        reviser = await asyncio.to_thread(lambda: Reviser(components=components))
        return await reviser.arevise(row.text, row.context)

    async def _retriever(self, row: EvalRow) -> Retriever:
        if row.evidence is not None:
            return RowRetriever(row.evidence, window=self._settings.window, step=self._settings.step)
        return self._components.retriever if row.corpus is None else await self._corpus(row.corpus)

    async def _corpus(self, path: Path) -> Corpus:
        """Returns the corpus at `path`, opened by the first row that has it."""
        async with self._opening:
            if path not in self._corpora:
                self._corpora[path] = await in_thread(self._opened, path)
            return self._corpora[path]

    def _opened(self, path: Path) -> Corpus:
        return Corpus.open(
            path,
            home=self._settings.home,
            window=self._settings.window,
            step=self._settings.step,
            max_file_mb=self._settings.max_file_mb,
        )
