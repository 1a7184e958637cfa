"""Tests whether a model follows the passage in front of it, or repeats what it remembers.

from rarr.evals.conflicts import ConflictOptions, bench_conflicts

report = bench_conflicts("questions.jsonl", "out", options=ConflictOptions(policies=("corpus",)))
report.counts["corpus"].ratio.value
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rarr.evals.conflicts.conflict_benchmark import ConflictOptions, bench_conflicts

__all__ = ["ConflictOptions", "bench_conflicts"]


def __getattr__(name: str) -> Any:
    if name in __all__:  # imported at the first use: the policies alone need no graph
        return getattr(import_module("rarr.evals.conflicts.conflict_benchmark"), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
