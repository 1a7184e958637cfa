"""Works on the rows of a run, several at once, and records each result as soon as it is finished."""

import asyncio
from collections.abc import Awaitable, Callable, Coroutine, Sequence
from pathlib import Path
from typing import Any, Protocol, TypeVar

from rarr.errors import InputError
from rarr.evals import run_folder
from rarr.evals.run_folder import RowLine
from rarr.retrievers.corpus.index_building import Progress
from rarr.tools.concurrency import run, together
from rarr.tools.storage.files import Appending


class RowWithId(Protocol):
    """A row of data. Its id is its own among all rows."""

    @property
    def id(self) -> str: ...


Row = TypeVar("Row", bound=RowWithId)
Result = TypeVar("Result")


def finish_rows(
    rows: Sequence[Row],
    path: Path,
    kind: type[RowLine],
    *,
    of: Sequence[Row],
    work_on: Callable[[Row], Awaitable[RowLine]],
    result_of: Callable[[Row, RowLine], Result],
    aclose: Callable[[], Coroutine[Any, Any, None]],
    jobs: int,
    on_row: Progress | None,
) -> list[Result]:
    """Works on the rows that an earlier process left, and returns the results of all in the order of `rows`.

    `jobs` rows are worked on at once. A finished row is written at once as a line of `predictions.jsonl` in
    the folder `path`; `result_of` turns a row and its line into its result. `aclose` is called in the event
    loop of the work, also if no row is left. `of` are all rows of the run, of which `rows` may be some.
    Raises `InputError` for a line without a row.
    """
    known = _known(of, path, kind, result_of)
    finished = {row.id: known[row.id] for row in rows if row.id in known}
    say = on_row or (lambda count, total: None)
    say(len(finished), len(rows))
    left = [row for row in rows if row.id not in known]
    todo = iter(left)

    async def work() -> None:
        for row in todo:  # all workers take from one iterator
            line = await work_on(row)
            await asyncio.to_thread(appending.add, line.line())
            finished[row.id] = result_of(row, line)
            say(len(finished), len(rows))

    async def work_all() -> None:
        try:
            await together(*(work() for _ in range(min(jobs, len(left)))))
        finally:
            await aclose()

    if left:
        run_folder.reopen(path, kind)
        with Appending(path / run_folder.PREDICTIONS) as appending:
            run(work_all())
    else:
        run(aclose())
    return [finished[row.id] for row in rows]


def line_itself(row: RowWithId, line: RowLine) -> RowLine:
    """Returns the line: the `result_of` a benchmark whose results are its lines."""
    return line


def _known(
    rows: Sequence[Row], path: Path, kind: type[RowLine], result_of: Callable[[Row, RowLine], Result]
) -> dict[str, Result]:
    """Reads the results of an earlier process, by id, without rows with an error, which are repeated."""
    left, known = {row.id: row for row in rows}, dict[str, Result]()
    for line in run_folder.finished_lines(path, kind):
        if (row := left.pop(line.id, None)) is None:
            where = path / run_folder.PREDICTIONS
            raise InputError(f"{where} has an extra line, of {line.id!r}: delete it and run again")
        if not line.error:
            known[row.id] = result_of(row, line)
    return known
