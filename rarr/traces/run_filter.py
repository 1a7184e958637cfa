"""Chooses runs of the trace store by their text, their status, and whether they changed their text."""

import json
import sqlite3
from dataclasses import dataclass

from rarr.traces.trace_file import Status, status_of


@dataclass(frozen=True)
class RunFilter:
    """What a run must have. `text` stands in its original, in any case; None or "": anything will do."""

    text: str = ""
    status: Status | None = None
    changed: bool | None = None

    def fits(self, facts: str, seconds: float | None, error: str, changed: int | None) -> bool:
        """Tells whether a row of the store fits; `changed` is None for a run without a revision."""
        if self.changed is not None and bool(changed) is not self.changed:
            return False
        if not (self.text or self.status):
            return True
        try:
            run = json.loads(facts)
            if self.status and status_of(seconds, error, tuple(run["process"])) != self.status:
                return False
            return self.text.casefold() in run["original"].casefold()
        except (ValueError, TypeError, LookupError, AttributeError):
            return False  # nobody knows what a damaged run has

    def install(self, sqlite: sqlite3.Connection) -> None:
        """Makes `fits` a function of SQL, so that the figures of a run are computed only if it fits."""
        sqlite.create_function("fits", 4, self.fits)
