"""Makes runs with their traces, and files of traces, for the tests."""

import os
from collections.abc import Sequence
from pathlib import Path
from typing import Any

from rarr import Reviser, Revision, Settings
from rarr.testing import ScriptedServer
from rarr.testing.card_answers import RuleModel
from rarr.testing.server import Plan
from rarr.traces.store import TraceStore
from rarr.traces.trace_file import RunFacts, StoredSpan, TraceFile

TEXT = "The bridge opened in 1935. It was designed by Joseph Strauss."
RIGHT = TEXT.replace("1935", "1937")


def span(number: int = 1, **fields: Any) -> StoredSpan:
    known = {"parent": 0, "kind": "node", "name": "edit", "about": "", "error": ""} | fields
    return StoredSpan(**{"number": number, "started": 1.0, "seconds": 0.5, **known})


def file(run_id: str = "run-1", spans: Sequence[StoredSpan] = ()) -> TraceFile:
    facts = RunFacts(version="0", original="One.", context=None, settings={}, warnings=[])
    known: dict[str, Any] = {"run_id": run_id, "started": 1.0, "seconds": 2.0, "facts": facts}
    return TraceFile(**known, spans=list(spans))


def filled_store(home: Path, *run_ids: str, written: float | None = None) -> TraceStore:
    """Makes a store with these runs. `written` is the time of the last write; None means now."""
    store = TraceStore(home)
    for run_id in run_ids:
        store.add_trace(file(run_id, [span()]))
        if written is not None:
            os.utime(store.folder / f"{run_id}.jsonl", (written, written))
    return store


def recorded(notes: Path, plan: Plan = (), **settings: Any) -> Revision:
    """Revises TEXT by a scripted model. `plan` has the failures of its first answers."""
    with ScriptedServer(RuleModel(), plan=plan) as server:
        chosen = {"corpus": notes, "model": "vllm:scripted", "base_url": server.url} | settings
        with Reviser(Settings(**chosen)) as reviser:
            return reviser.revise(TEXT)
