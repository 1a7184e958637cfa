"""Revises texts through Ray Data, on a cluster of this machine that is there for this alone."""

import logging
import time
from collections.abc import Sequence

from rarr import Settings
from rarr.batches.ray_cluster import LOCAL, connect
from rarr.integrations.ray import revise


def times_through_ray_data(texts: Sequence[str], settings: Settings, actors: int) -> list[float]:
    """Returns the moment at which each result came, in seconds of a clock.

    A batch has one row, as the rows of `rarr batch` come: more rows a batch would cost less.
    """
    connect(LOCAL)
    import ray.data

    try:
        logging.getLogger("ray.data").setLevel(logging.ERROR)
        ray.data.DataContext.get_current().enable_progress_bars = False
        rows = ray.data.from_items([{"text": text} for text in texts])
        times = list[float]()
        # Actors that took all cores would leave none for the tasks that read.
        revised = revise(rows, settings, concurrency=actors, num_cpus=0.5, batch_size=1)
        for row in revised.iter_rows():
            assert not row["rarr_error"], row["rarr_error"]
            times.append(time.perf_counter())
        return times
    finally:
        ray.shutdown()
