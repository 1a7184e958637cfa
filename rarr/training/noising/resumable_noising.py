"""Makes rows from a file of queries. Each query is done once, even if the process is interrupted."""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

from rarr.agent.final_revision import budget_of, usage_of
from rarr.errors import BudgetError, InputError, RarrError
from rarr.records import Record, Usage
from rarr.settings import Settings
from rarr.tools.concurrency import run, together
from rarr.tools.models.run_budget import METER, Meter
from rarr.tools.storage.files import Appending, locked
from rarr.tools.text.warning_lines import by_reason
from rarr.training.noising.relevant_and_other_passages import RELEVANT
from rarr.training.noising.row_files import Dropped, Reason, dropped, dropped_beside, mend, rows
from rarr.training.noising.row_making import noised
from rarr.training.noising.seed_queries import read_seeds
from rarr.training.noising.wiring import Noising, wire_noising

Progress = Callable[[int, int], None]


class Failed(Record):
    """A query whose row failed, as by a lost connection. The next run tries it again."""

    query: str
    error: str


class NoisingReport(Record):
    """The report of a run: the `rows` of the file, the `new` ones, and why other queries have none.

    `left` queries were not started, because the limit `limit` was reached. `suspicious` passages were left
    out in this run, because they address a language model.
    """

    rows: int
    new: int
    dropped: dict[Reason, int]
    failed: tuple[Failed, ...] = ()
    left: int = 0
    limit: str = ""
    suspicious: int = 0
    warnings: tuple[str, ...] = ()
    usage: Usage = Usage()


def make_data(
    seeds: str | Path,
    out: str | Path,
    *,
    settings: Settings | None = None,
    parts: Noising | None = None,
    relevance: float = RELEVANT,
    jobs: int = 4,
    on_query: Progress | None = None,
    on_index: Progress | None = None,
) -> NoisingReport:
    """Makes a row of each query of the file `seeds`, `jobs` at once, and adds it to the file `out`.

    Passages of at least `relevance` are evidence to write from. A query that has a row, or was dropped, is
    not repeated. Give either `parts` or `settings`. `on_query` is called with the number of finished queries
    and of all queries, `on_index` with the same numbers for a corpus's files. Raises `RarrError` before
    anything is spent: for a file without a query, a missing model, or an `out` that is in use or holds other
    lines.
    """
    if jobs < 1 or not 0 <= relevance <= 1:
        raise InputError("jobs must be at least 1, and relevance must lie between 0 and 1")
    path, queries = Path(out), read_seeds(Path(seeds))
    claimed = f"{path} is in use by another rarr train data: wait for it, or give another file"
    with locked(path.with_name(f".{path.name}.lock"), claimed):
        mend(path)
        before = [row.query for row in rows(path)]
        unmade = {query.query: query.reason for query in dropped(path)}
        done = {*before, *unmade}
        todo = [query for query in queries if query not in done]
        with _wired(settings or Settings(), parts, on_index) as wired:
            work = _NoisingTask(wired, path, relevance, todo)
            say = on_query or (lambda done, total: None)
            work.on_query = lambda made: say(len(queries) - len(todo) + made, len(queries))
            if todo:
                run(work.all(jobs))
        unmade |= work.unmade
    reasons = Counter(reason for query, reason in unmade.items() if query in set(queries))
    return NoisingReport(
        rows=len(before) + work.made,
        new=work.made,
        dropped=dict(reasons),
        failed=tuple(work.failed),
        left=len(todo) - work.made - len(work.unmade) - len(work.failed),
        limit=work.limit,
        suspicious=work.suspicious,
        warnings=tuple(work.warnings),
        usage=work.usage,
    )


@contextmanager
def _wired(settings: Settings, parts: Noising | None, on_index: Progress | None) -> Iterator[Noising]:
    """Yields the given parts, or makes them from the settings and closes them after the block."""
    if parts is not None:
        yield parts
        return
    made = wire_noising(settings, on_index)
    try:
        yield made
    finally:
        run(made.aclose())


class _NoisingTask:
    """Works through the queries `todo`, writes the rows and counts the results."""

    def __init__(self, parts: Noising, path: Path, threshold: float, todo: list[str]) -> None:
        self._parts, self._path, self._threshold = parts, path, threshold
        self._todo = iter(todo)
        self.on_query: Callable[[int], None] = lambda made: None
        self.made, self.suspicious, self.limit = 0, 0, ""
        self.unmade: dict[str, Reason] = {}
        self.failed: list[Failed] = []
        skipped = getattr(parts.retriever, "skipped", ())  # as in a revision
        self.warnings = by_reason(skipped)
        self.usage = Usage()

    async def all(self, jobs: int) -> None:
        """Makes the rows of all queries, `jobs` at once, until the budget is spent."""
        meter = Meter(budget_of(self._parts.settings))
        token = METER.set(meter)
        try:
            with Appending(self._path) as made, Appending(dropped_beside(self._path)) as unmade:
                await together(*(self._some(made, unmade) for _ in range(jobs)))
        finally:
            METER.reset(token)
            self.usage = usage_of(meter)
            self.warnings += [notice.message for notice in meter.warnings]

    async def _some(self, made: Appending, unmade: Appending) -> None:
        for query in self._todo:  # all workers take from one iterator
            try:
                item, split = await noised(query, self._parts, self._threshold)
            except BudgetError as error:
                self.limit = str(error)
            except RarrError as error:
                self.failed.append(Failed(query=query, error=str(error)))
            else:
                self.suspicious += split.suspicious
                if isinstance(item, Dropped):
                    await asyncio.to_thread(unmade.add, item.line())
                    self.unmade[query] = item.reason
                else:
                    await asyncio.to_thread(made.add, item.line())
                    self.made += 1
            if self.limit:
                return
            self.on_query(self.made + len(self.unmade) + len(self.failed))
