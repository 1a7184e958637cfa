"""Runs sets of namesakes against a search, its rerankers and the revision, and writes a report."""

from collections.abc import Collection, Sequence
from pathlib import Path
from typing import NamedTuple

from rarr.agent.wiring.components import wire
from rarr.agent.wiring.resources import Resources
from rarr.agent.wiring.search_and_reranking import reranker, retriever, search_names
from rarr.components import Reranker, close_all
from rarr.errors import InputError
from rarr.evals.literature.benchmark_judging import write_report
from rarr.evals.namesakes.edited_claims import ClaimOutcome, EditingScores, claim_outcomes, editing_scores
from rarr.evals.namesakes.records import TASKS, NameSet, Task
from rarr.evals.namesakes.search_scores import OnQuery, SearchScores, rankings, search_scores
from rarr.records import Record
from rarr.settings import Settings
from rarr.tools.concurrency.background_loop import run
from rarr.tools.storage.atomic_files import write_lines
from rarr.tools.storage.line_files import writing

OUTCOMES = "claims.jsonl"


class NamesOptions(NamedTuple):
    """What to measure. `rerankers` are named as in the settings; `edits`: revise the false claims too."""

    rerankers: tuple[str, ...] = ("overlap", "embedded")
    tasks: tuple[Task, ...] = TASKS
    edits: bool = True
    jobs: int = 4


class NamesReport(Record):
    """The report. `search` has the scores by system and task; the first system is the search alone.

    `editing` has the shares of false claims by pages; it is empty if no claim was revised.
    """

    names: int
    entities: int
    queries: int
    search: dict[str, dict[Task, SearchScores]]
    editing: dict[str, EditingScores]


def bench_names(
    sets: Sequence[NameSet],
    out: str | Path | None,
    *,
    settings: Settings,
    options: NamesOptions | None = None,
    on_query: OnQuery = lambda done, total: None,
) -> NamesReport:
    """Measures how well the search of the settings, rerankers and revisions tell namesakes apart.

    Writes report.json to the folder `out`, and what became of each claim to claims.jsonl. Raises `InputError`
    for unknown tasks or sets without queries, and `RarrError` if the search or a reranker fails.
    """
    chosen = options or NamesOptions()
    _require_queries(sets, chosen.tasks)
    search = _searched(sets, settings, chosen, on_query)
    outcomes = _revised(sets, settings, chosen, on_query) if chosen.edits else []
    report = NamesReport(
        names=len(sets),
        entities=sum(len(each.members) for each in sets),
        queries=sum(query.task in chosen.tasks for each in sets for query in each.queries),
        search=search,
        editing=editing_scores(outcomes) if outcomes else {},
    )
    if out is not None:
        with writing(Path(out)):
            Path(out).mkdir(parents=True, exist_ok=True)
        write_report(Path(out), report)
        write_lines(Path(out) / OUTCOMES, (each.model_dump_json().encode() + b"\n" for each in outcomes))
    return report


def _require_queries(sets: Sequence[NameSet], tasks: Collection[Task]) -> None:
    if not any(query.task in tasks for each in sets for query in each.queries):
        raise InputError(
            f"the sets have no query of the tasks {', '.join(tasks)}: give sets that"
            " `rarr bench name-sets` made"
        )


def _searched(
    sets: Sequence[NameSet], settings: Settings, chosen: NamesOptions, on_query: OnQuery
) -> dict[str, dict[Task, SearchScores]]:
    opened = Resources(settings)
    try:
        search = retriever(settings, opened)
        alone = "BM25" if search_names(settings) == ["corpus"] else "search alone"
        systems: dict[str, Reranker | None] = {alone: None}
        for name in chosen.rerankers:
            systems[name] = reranker(settings.model_copy(update={"reranker": name}), opened)
        ranked = run(rankings(sets, search, systems, tasks=chosen.tasks, on_query=on_query))
    finally:
        run(opened.aclose())
    return {
        system: {task: search_scores(queries) for task, queries in by_task.items()}
        for system, by_task in ranked.items()
    }


def _revised(
    sets: Sequence[NameSet], settings: Settings, chosen: NamesOptions, on_query: OnQuery
) -> list[ClaimOutcome]:
    components = wire(settings.model_copy(update={"trace": False}), None)
    try:
        return run(claim_outcomes(sets, components, jobs=chosen.jobs, on_query=on_query))
    finally:
        run(close_all((*components.models, *components.opened)))
