"""Works on the rows of the benchmark of namesakes: searches for a query, or revises a false claim."""

from collections.abc import Sequence
from typing import NamedTuple

from rarr.agent.wiring.components import wire
from rarr.agent.wiring.resources import Resources
from rarr.agent.wiring.search_and_reranking import reranker, retriever, search_names
from rarr.components import Reranker, close_all
from rarr.errors import RarrError
from rarr.evals.namesakes.edited_claims import ClaimOutcome, ClaimRevision, ClaimTrial
from rarr.evals.namesakes.records import TASKS, NameSet, Task
from rarr.evals.namesakes.search_scores import AskedQuery, ComparedSearch
from rarr.evals.run_folder import FinishedLine
from rarr.settings import Settings
from rarr.tools.concurrency import run

NamesRow = AskedQuery | ClaimTrial


class NamesOptions(NamedTuple):
    """What to measure. `rerankers` are named as in the settings; `edits`: revise the false claims too.

    `limit`: use only the first names. `jobs` queries or claims are worked on at once.
    """

    rerankers: tuple[str, ...] = ("overlap", "embedded")
    tasks: tuple[Task, ...] = TASKS
    edits: bool = True
    limit: int | None = None
    jobs: int = 4


class NamesLine(FinishedLine):
    """A line of `predictions.jsonl`: the documents for a query by each system, or what became of a claim."""

    rankings: dict[str, tuple[str, ...]] | None = None
    outcome: ClaimOutcome | None = None


class NamesWorker:
    """Searches and revises with what it opened. Without `revision`, it gets no claim."""

    def __init__(self, search: ComparedSearch, revision: ClaimRevision | None, opened: Resources) -> None:
        self._search, self._revision, self._opened = search, revision, opened

    async def line(self, row: NamesRow) -> NamesLine:
        """Works on a row. A failed revision is an error of its line; raises `RarrError` if a search fails."""
        if isinstance(row, AskedQuery):
            return NamesLine(id=row.id, rankings=await self._search.rankings(row.query))
        assert self._revision is not None
        outcome = await self._revision.outcome(row)
        return NamesLine(id=row.id, outcome=outcome, error=outcome.error)

    async def aclose(self) -> None:
        """Closes models and sources in the running event loop."""
        await close_all([self._opened, *([self._revision] if self._revision else [])])


def names_worker(sets: Sequence[NameSet], settings: Settings, options: NamesOptions) -> NamesWorker:
    """Opens the search, the rerankers and the models. Raises `RarrError` if one of them cannot be used."""
    opened = Resources(settings)
    try:
        search = _search(sets, settings, options.rerankers, opened)
        untraced = settings.model_copy(update={"trace": False})
        revision = ClaimRevision(wire(untraced)) if options.edits else None
    except RarrError:
        run(opened.aclose())
        raise
    return NamesWorker(search, revision, opened)


def _search(
    sets: Sequence[NameSet], settings: Settings, rerankers: Sequence[str], opened: Resources
) -> ComparedSearch:
    alone = "BM25" if search_names(settings) == ["corpus"] else "search alone"
    systems: dict[str, Reranker | None] = {alone: None}
    search = retriever(settings, opened)
    for name in rerankers:
        systems[name] = reranker(settings.model_copy(update={"reranker": name}), opened)
    return ComparedSearch(search, systems, sets)
