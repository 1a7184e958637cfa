"""The list of runs."""

from collections.abc import Sequence
from datetime import datetime
from itertools import pairwise, takewhile
from typing import Any

from rarr.traces.store import RunSummary
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entries import took

_SHORT = 8  # characters of the name of a run, at least
_WIDTH = 80
_TITLES = ("run", "when", "took", "status", "calls", "tokens", "edits", "text")


def short_names(names: Sequence[str]) -> dict[str, str]:
    """As much of each name as tells it from the others."""
    ordered = sorted(names)
    shared = [0, *(_alike(*pair) for pair in pairwise(ordered)), 0]
    return {
        name: name[: max(_SHORT, before + 1, after + 1)]
        for name, before, after in zip(ordered, shared, shared[1:], strict=False)
    }


def runs_table(runs: Sequence[RunSummary], names: Sequence[str]) -> str:
    """A line a run, 80 columns wide; `names` are those of all runs."""
    short = short_names(names)
    rows = [_TITLES, *(_row(one, short[one.run_id]) for one in runs)]
    widths = [max(len(row[column]) for row in rows) for column in range(len(_TITLES) - 1)]
    lines = []
    for row in rows:
        cells = [cell.ljust(width) for cell, width in zip(row, widths, strict=False)]
        before = "  ".join(cells) + "  "
        lines.append((before + one_line(row[-1], max(12, _WIDTH - len(before)))).rstrip())
    return "".join(f"{line}\n" for line in lines)


def runs_json(runs: Sequence[RunSummary]) -> list[dict[str, Any]]:
    """The same for programs."""
    return [
        {
            "run_id": one.run_id,
            "started": one.started,
            "seconds": one.seconds,
            "status": one.status,
            "error": one.error,
            "model_calls": one.calls,
            "tokens": one.tokens,
            "edits": one.edits,
            "text": one.facts.original,
        }
        for one in runs
    ]


def _alike(one: str, other: str) -> int:
    """Characters that both begin with."""
    return sum(1 for _ in takewhile(lambda pair: pair[0] == pair[1], zip(one, other, strict=False)))


def _row(one: RunSummary, name: str) -> tuple[str, ...]:
    when = datetime.fromtimestamp(one.started).strftime("%m-%d %H:%M")
    seconds = "" if one.seconds is None else took(one.seconds)
    counts = (str(one.calls), str(one.tokens), str(one.edits))
    return (one_line(name), when, seconds, one.status, *counts, one.facts.original)
