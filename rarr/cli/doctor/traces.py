"""Examines the trace store: its size, the number of runs, and whether it opens."""

import sqlite3

from rarr.cli.doctor.diagnosis import Diagnosis
from rarr.errors import InputError
from rarr.settings import Settings


def traces(settings: Settings) -> Diagnosis:
    """Tells the number of runs, the size and the path of the trace store. The file is not created."""
    if not settings.trace:
        return Diagnosis("traces", "ok", "traces are switched off: trace is false")
    from rarr.traces.store import TraceStore, on_disk
    from rarr.traces.trace_reader import store_path

    path = store_path(settings.home)
    try:
        if not path.exists():
            return Diagnosis("traces", "ok", f"{path} does not exist yet: the first run makes it")
        store = TraceStore(path)
        try:
            count = len(store.names())
        finally:
            store.close()
        return Diagnosis("traces", "ok", f"{path} opens; runs: {count}; {on_disk(path) / 1e6:.1f} MB")
    except InputError as error:
        return Diagnosis("traces", "broken", str(error))
    except (OSError, sqlite3.Error) as error:
        cure = "let it be read, or delete it, or set trace to false"
        return Diagnosis("traces", "broken", f"{path} cannot be read ({error})", cure)
