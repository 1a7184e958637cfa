"""Runs sets of namesakes against a search, its rerankers and the revision; an interrupted run continues."""

from collections import Counter
from collections.abc import Collection, Sequence
from pathlib import Path
from typing import Any

from rarr.agent.wiring.search_and_reranking import search_names
from rarr.errors import InputError
from rarr.evals import run_folder
from rarr.evals.literature.benchmark_judging import digest, write_report
from rarr.evals.metrics import RankedQuery
from rarr.evals.namesakes.edited_claims import EditingScores, claim_trials, editing_scores
from rarr.evals.namesakes.names_worker import NamesLine, NamesOptions, NamesRow, names_worker
from rarr.evals.namesakes.records import TASKS, NameSet, Task
from rarr.evals.namesakes.search_scores import AskedQuery, SearchScores, asked_queries, search_scores
from rarr.evals.resumable_row_processing import finish_rows, line_itself
from rarr.evals.run_fingerprint import corpora, described, run_inputs
from rarr.records import Record
from rarr.retrievers.corpus.index_building import Progress
from rarr.settings import Settings
from rarr.tools.storage.files import write_lines, writing

OUTCOMES = "claims.jsonl"


class NamesReport(Record):
    """The report. `search` has the scores by system and task; the first system is the search alone.

    `claims` counts the revisions of false claims, and `errors` names those that could not be judged.
    `editing` has the shares of claims by pages; it is empty if no claim was revised.
    """

    names: int
    entities: int
    queries: int
    claims: int
    search: dict[str, dict[Task, SearchScores]]
    editing: dict[str, EditingScores]
    errors: tuple[str, ...] = ()


def bench_names(
    sets: Sequence[NameSet],
    out: str | Path,
    *,
    settings: Settings,
    options: NamesOptions | None = None,
    on_row: Progress | None = None,
) -> NamesReport:
    """Measures how well the search of the settings, rerankers and revisions tell namesakes apart.

    The folder `out` gets a line for each query and claim, report.json, and what became of each claim in
    claims.jsonl. The same call continues an interrupted run. `on_row` is called with the number of finished
    queries and claims, and of all. Raises `InputError` for sets without queries, without a corpus or
    `search`, or if `out` holds another run, and `RarrError` if the search or a reranker fails: scores of some
    queries would be of other sets.
    """
    _require_source(settings)
    path, chosen = Path(out), options or NamesOptions()
    made_with = _made_with(sets, settings, chosen)
    every_row, rows = _rows(sets, TASKS, edits=True), _rows(sets[: chosen.limit], chosen.tasks, chosen.edits)
    _require_queries(every_row, rows, chosen.tasks)
    with run_folder.claimed(path, made_with):
        worker = names_worker(sets, settings, chosen)
        run_folder.begin(path, made_with)
        lines = finish_rows(
            rows,
            path,
            NamesLine,
            of=every_row,
            work_on=worker.line,
            result_of=line_itself,
            aclose=worker.aclose,
            jobs=chosen.jobs,
            on_row=on_row,
        )
        outcomes = [line.outcome for line in lines if line.outcome]
        with writing(path):
            write_lines(path / OUTCOMES, (each.model_dump_json().encode() + b"\n" for each in outcomes))
        report = NamesReport(
            names=len(sets[: chosen.limit]),
            entities=sum(len(each.members) for each in sets[: chosen.limit]),
            queries=len(lines) - len(outcomes),
            claims=len(outcomes),
            search=_scores_by_system(rows, lines),
            editing=editing_scores(outcomes) if outcomes else {},
            errors=tuple(f"{each.text!r}: {each.error}" for each in outcomes if each.error),
        )
        write_report(path, report)
    return report


def _require_source(settings: Settings) -> None:
    """Raises `InputError` if nothing names what to search: the default would send the names to Wikipedia."""
    if settings.search is None and search_names(settings) == ["wikipedia"]:
        raise InputError(
            "nothing to search: give the documents with --corpus PATH; only --search wikipedia asks Wikipedia"
        )


def _rows(sets: Sequence[NameSet], tasks: Collection[Task], edits: bool) -> list[NamesRow]:
    return [*asked_queries(sets, tasks), *(claim_trials(sets) if edits else ())]


def _made_with(sets: Sequence[NameSet], settings: Settings, options: NamesOptions) -> dict[str, Any]:
    """Describes the inputs of the run. Tasks, limit and edits may differ: they choose among its rows."""
    return run_inputs(
        digest("\n".join(each.model_dump_json() for each in sets)),
        described(settings) | {"command": "rarr bench names", "rerankers": ", ".join(options.rerankers)},
        corpora([settings.corpus], settings.max_file_mb),
    )


def _require_queries(every_row: Sequence[NamesRow], rows: Sequence[NamesRow], tasks: Sequence[Task]) -> None:
    """Raises `InputError` if no query is asked, or if a query has the id of another."""
    cure = "give more things with the same name, each with an id of its own"
    if not any(isinstance(row, AskedQuery) for row in rows):
        raise InputError(f"the sets have no query of the tasks {', '.join(tasks)}: {cure}")
    counts = Counter(row.id for row in every_row)
    if repeated := next((each for each, count in counts.items() if count > 1), None):
        raise InputError(f"two queries have the id {repeated!r}: {cure}")


def _scores_by_system(
    rows: Sequence[NamesRow], lines: Sequence[NamesLine]
) -> dict[str, dict[Task, SearchScores]]:
    ranked = dict[str, dict[Task, list[RankedQuery]]]()
    for row, line in zip(rows, lines, strict=True):
        if isinstance(row, AskedQuery):
            for system, ranking in (line.rankings or {}).items():
                ranked.setdefault(system, {}).setdefault(row.query.task, []).append(row.ranked(ranking))
    return {
        system: {task: search_scores(queries) for task, queries in by_task.items()}
        for system, by_task in ranked.items()
    }
