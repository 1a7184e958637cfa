"""Revises the rows of a data set of Ray Data."""

from pathlib import Path
from typing import Any

from rarr.batches.batch_runner import batch_settings
from rarr.batches.column_mapping import Columns
from rarr.batches.ray_cluster import require_ray
from rarr.errors import InputError
from rarr.integrations.ray.killed_rows import KilledRows
from rarr.integrations.ray.row_reviser import RowReviser, RowTask
from rarr.records.postprocessing import PostprocessMode
from rarr.settings import Settings
from rarr.tools.text.plurals_and_articles import counted, kind_of

_BATCHES = 8
"""Texts of a batch for each that an actor works on at once: little is left over at the end of a batch."""


def revise(
    dataset: Any,
    settings: Settings | None = None,
    *,
    text: str = "text",
    context: str | None = None,
    sources: str | None = None,
    mode: PostprocessMode = "revise",
    full: bool = False,
    concurrency: int | tuple[int, int] | None = None,
    num_cpus: float | None = None,
    num_gpus: float | None = None,
    batch_size: int | None = None,
) -> Any:
    """Returns the `ray.data.Dataset` with the columns of `rarr batch`, such as `rarr_text` and `rarr_error`.

    `text`, `context` and `sources` name columns; `mode` is that of `rarr.postprocess`, and `full` adds the
    whole record of each run. `concurrency` is the number of actors, or the least and the most of them; None:
    one with a language model, and else as many as the cluster has room for. Each takes `num_cpus` cores and
    `num_gpus` GPUs, and builds one reviser; the least of them must leave a core for the tasks that read. Rows
    go to actors in batches of `batch_size`.

    Nothing runs before the rows are taken. A row that cannot be used, or that kills its actor twice, has a
    `rarr_error`. Raises `InputError` for a missing column, if the data set knows its columns, and for actors
    that take all cores; `SetupError` without Ray. When rows are taken, a missing column, or settings that
    lack something, end the run of the data set.
    """
    ray = require_ray()
    if not isinstance(dataset, ray.data.Dataset):
        raise InputError(f"dataset is {kind_of(dataset)}: give a ray.data.Dataset")
    settings = batch_settings(settings or Settings())
    columns = Columns(text, context, sources)
    if (schema := dataset.schema(fetch_if_missing=False)) is not None:
        columns.check(dict.fromkeys(schema.names))
    at_once = 1 if settings.is_embedded else settings.concurrency
    rows = at_once * _BATCHES if batch_size is None else batch_size
    if rows < 1:
        raise InputError(f"batch_size is {batch_size}: give the number of rows of a batch, at least 1")
    pool = _actors(concurrency, embedded=settings.is_embedded)
    others = 2 if dataset.context.checkpoint_config else 1  # the tasks that read, and those of checkpoints
    _require_cores(pool.min_size, 1 if num_cpus is None else num_cpus, others)
    killed_rows = ray.remote(KilledRows).options(num_cpus=0, max_restarts=-1, max_task_retries=-1).remote()
    # A small file is one block, and one block would go to one actor.
    return dataset.repartition(target_num_rows_per_block=rows).map_batches(
        RowReviser,
        fn_constructor_args=(settings, RowTask(str(Path.cwd()), columns, mode, full), at_once, killed_rows),
        batch_size=rows,
        batch_format="pyarrow",
        compute=pool,
        num_cpus=num_cpus,
        num_gpus=num_gpus,
        udf_modifying_row_count=False,
    )


def _actors(concurrency: int | tuple[int, int] | None, *, embedded: bool) -> Any:
    """Makes the pool of actors. Each has one batch more than it works on, which is there when it is free."""
    if concurrency is None:
        least, most = 1, None if embedded else 1
    else:
        least, most = concurrency if isinstance(concurrency, tuple) else (concurrency, concurrency)
    try:
        return require_ray().data.ActorPoolStrategy(
            min_size=least, max_size=most, max_tasks_in_flight_per_actor=2
        )
    except (TypeError, ValueError):
        raise InputError(
            f"concurrency is {concurrency!r}: give the number of actors, or the least and the most of them"
        ) from None


def _require_cores(actors: int, num_cpus: float, others: int) -> None:
    """Raises `InputError` if the actors leave less than `others` cores: Ray would wait for ever."""
    cores = require_ray().cluster_resources().get("CPU", 0)
    if actors * num_cpus + others > cores:
        raise InputError(
            f"{counted(actors, 'actor')} with {num_cpus:g} cores each take too many of the {cores:g} cores of"
            f" the cluster: {others} must be left for reading rows and for checkpoints. Give a smaller"
            " num_cpus, or concurrency=(least, most), which begins with fewer actors"
        )
