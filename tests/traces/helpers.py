"""Runs to record, and the file that they are recorded in."""

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


def facts(original: str = "One.", process: tuple[str, int] = ("elsewhere", 1)) -> RunFacts:
    return RunFacts(version="0", original=original, context=None, settings={}, warnings=[], process=process)


def row(number: int = 1, body: str = "{}") -> tuple[Any, ...]:
    return (number, 0, "node", "edit", "", 1.0, 0.5, "", "[]", body)


def span(number: int = 1, **fields: Any) -> StoredSpan:
    known = {"parent": 0, "kind": "node", "name": "edit", "about": "", "error": ""} | fields
    return StoredSpan(**{"number": number, "started": 1.0, "seconds": 0.5, **known})


def file(run_id: str = "run-1", spans: Sequence[StoredSpan] = ()) -> TraceFile:
    return TraceFile(
        run_id=run_id, started=1.0, seconds=2.0, error="", facts=facts(), spans=list(spans), prompts={}
    )


def store(folder: Path) -> TraceStore:
    return TraceStore(folder / "traces.sqlite")


def filled(folder: Path, *run_ids: str, stored: float | None = None) -> TraceStore:
    """`stored`: when they came there; None: now."""
    made = store(folder)
    for run_id in run_ids:
        run = made.begin(run_id, 1.0, facts())
        made.write(run, [row()], {})
        made.finish(run, 1.0, "", "[]", None)
        if stored is not None:
            with made.used() as sqlite:
                sqlite.execute("UPDATE runs SET stored = ? WHERE id = ?", (stored, run))
    return made


def recorded(notes: Path, plan: Plan = (), **settings: Any) -> Revision:
    """A revision by a language model, whose first answers go wrong by `plan`."""
    with ScriptedServer(RuleModel(), plan=plan) as server:
        chosen = {"corpus": notes, "model": "vllm:scripted", "base_url": server.url} | settings
        with Reviser(Settings(**chosen)) as reviser:
            return reviser.revise(TEXT)
