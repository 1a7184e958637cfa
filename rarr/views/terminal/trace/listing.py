"""Renders the list of runs as a table or as JSON."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise, takewhile
from typing import Any

from rarr.traces.store import RunSummary
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entry_tree import took

_SHORT = 8  # characters of the name of a run, at least
_WIDTH = 80
_TITLES = ("run", "when", "took", "status", "calls", "tokens", "edits", "text")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """Shortens each name to the beginning that no other name shares, at least 8 characters."""
    ordered = sorted(names)
    shared = [0, *(_alike(*pair) for pair in pairwise(ordered)), 0]
    return {
        name: name[: max(_SHORT, before + 1, after + 1)]
        for name, before, after in zip(ordered, shared, shared[1:], strict=False)
    }


def runs_table(runs: Sequence[RunSummary], names: Sequence[str]) -> str:
    """Renders a line of about 80 columns for each run. `names` are the names of all runs in the store."""
    short = short_names(names)
    rows = [_TITLES, *(_row(run, short[run.run_id]) for run in runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES) - 1)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        before = "  ".join(cells) + "  "
        lines.append((before + one_line(row[-1], max(12, _WIDTH - len(before)))).rstrip())
    return "".join(f"{line}\n" for line in lines)


def runs_json(runs: Sequence[RunSummary]) -> list[dict[str, Any]]:
    """Returns the list of runs as JSON values."""
    return [
        {
            "run_id": run.run_id,
            "started": run.started,
            "seconds": run.seconds,
            "status": run.status,
            "error": run.error,
            "model_calls": run.calls,
            "tokens": run.tokens,
            "edits": run.edits,
            "text": run.facts.original,
        }
        for run in runs
    ]


def _alike(first: str, second: str) -> int:
    """Counts the characters that the two names share at their beginning."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(first, second, strict=False)))


def _row(run: RunSummary, name: str) -> tuple[str, ...]:
    when = datetime.fromtimestamp(run.started).strftime("%m-%d %H:%M")
    seconds = "" if run.seconds is None else took(run.seconds)
    counts = (str(run.calls), str(run.tokens), str(run.edits))
    return (one_line(name), when, seconds, run.status, *counts, run.facts.original)
