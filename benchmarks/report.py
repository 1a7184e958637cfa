"""Texts that every benchmark prints: the machine, numbers with intervals, and Markdown tables."""

import os
import platform
from collections.abc import Sequence

from rarr.evals import metrics
from rarr.evals.metrics import Measured


def machine() -> str:
    """The machine in a few words."""
    return f"{os.cpu_count()} cores, {platform.machine()}, Python {platform.python_version()}"


def share(hits: Sequence[bool]) -> str:
    """`hits` as count, share and 95% Wilson interval."""
    return f"{sum(hits)}/{len(hits)} = {cell(metrics.share(hits))}" if hits else "0/0"


def cell(value: Measured | float | None) -> str:
    """A number to three places, with its interval if it has one; a dash if there is no number."""
    measured = value if isinstance(value, Measured) else Measured(value=value)
    if measured.value is None:
        return "-"
    if measured.low is None or measured.high is None:
        return f"{measured.value:.3f}"
    return f"{measured.value:.3f} [{measured.low:.3f}, {measured.high:.3f}]"


def table(head: Sequence[str], body: Sequence[Sequence[str]]) -> str:
    """A table in Markdown."""
    return "\n".join(f"| {' | '.join(line)} |" for line in (head, ["---"] * len(head), *body))
