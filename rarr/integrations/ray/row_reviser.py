"""Revises batches of rows in an actor of Ray Data."""

import uuid
from typing import Any, NamedTuple

from rarr.agent.batches import BatchResult, BatchRow, batch_result
from rarr.agent.revise import Reviser
from rarr.batches.batch_runner import ENDED, TRIES
from rarr.batches.column_mapping import Columns, columns_of, digest_of, error_columns, result_columns
from rarr.batches.column_types import typed
from rarr.batches.input_rows import InputRow
from rarr.batches.parquet import arrow_type
from rarr.batches.ray_cluster import enter, require_ray
from rarr.records.postprocessing import Postprocessed, PostprocessMode
from rarr.settings import Settings
from rarr.tools.concurrency import bounded_flow, run


class RowTask(NamedTuple):
    """What an actor does: in which folder, with which columns and mode, and how much it writes."""

    folder: str
    columns: Columns
    mode: PostprocessMode
    full: bool


class RowReviser:
    """Adds the columns of `rarr batch` to batches of rows. Its reviser is built once."""

    def __init__(self, settings: Settings, work: RowTask, at_once: int, killed_rows: Any) -> None:
        """`at_once` rows are worked on at the same time. `killed_rows` is the actor of a `KilledRows`."""
        enter(work.folder)
        self._work, self._at_once, self._killed_rows = work, at_once, killed_rows
        self._actor, self._life = require_ray().get_runtime_context().get_actor_id(), uuid.uuid4().hex
        self._reviser = Reviser(settings)

    def __call__(self, table: Any) -> Any:
        """Takes and returns a table of pyarrow. Raises `InputError` if it lacks a column that is named."""
        import pyarrow

        columns = self._work.columns
        columns.check(dict.fromkeys(table.column_names))
        read = list(dict.fromkeys(name for name in columns if name is not None))
        results = run(self._revised(table.select(read).to_pylist()))
        for name, kind in result_columns(full=self._work.full).items():
            values = [typed(row[name], kind) for row in results]
            table = table.append_column(name, pyarrow.array(values, arrow_type(kind)))
        return table

    def __del__(self) -> None:
        """Closes the reviser: Ray Data deletes this object when it needs the actor no more."""
        if hasattr(self, "_reviser"):
            self._reviser.close()

    async def _revised(self, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
        """Returns the columns of the result of each row."""
        given = [self._work.columns.row_or_problem(InputRow(n, row)) for n, row in enumerate(rows, 1)]
        columns = [error_columns(row if isinstance(row, str) else ENDED) for row in given]
        usable = [(place, row) for place, row in enumerate(given) if isinstance(row, BatchRow)]
        kills = await self._killed_rows.kills.remote(
            self._actor, self._life, [digest_of(row) for _, row in usable]
        )
        fresh = [item for item, times in zip(usable, kills, strict=True) if not times]
        # One of them killed the actor. Alone, a row that does so again takes no other with it.
        suspect = [item for item, times in zip(usable, kills, strict=True) if 0 < times < TRIES]
        for items, at_once in ((fresh, self._at_once), (suspect, 1)):
            async for place, result in bounded_flow(items, self._placed, at_once):
                columns[place] = columns_of(result, full=self._work.full)
        return columns

    async def _placed(self, item: tuple[int, BatchRow], number: int) -> tuple[int, BatchResult]:
        place, row = item
        digest = digest_of(row)
        await self._killed_rows.begin.remote(self._actor, digest)
        try:
            return place, await batch_result(row, number, self._postprocessed)
        except Exception as error:  # a defect of the program: of millions of rows, one must not end the run
            return place, BatchResult(row, number, None, f"{type(error).__name__}: {error}: report this text")
        finally:
            self._killed_rows.end.remote(self._actor, digest)

    async def _postprocessed(self, row: BatchRow) -> Postprocessed:
        return await self._reviser.apostprocess(row.text, row.context, row.sources, mode=self._work.mode)
