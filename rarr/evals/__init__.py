"""Measures how good revisions are: metrics, and runs over data.

from rarr.evals import compare, evaluate

report = evaluate("data.jsonl", "scores", settings=Settings(corpus="notes/"))
report.measures["f1_ap"].value
compare("scores", "earlier-scores").measures["f1_ap"].paired.p
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from rarr.evals.comparison import compare
    from rarr.evals.resumable_evaluation import evaluate

__all__ = ["compare", "evaluate"]

_HOMES = {"compare": "rarr.evals.comparison", "evaluate": "rarr.evals.resumable_evaluation"}


def __getattr__(name: str) -> Any:
    # Imported at the first use: the graph imports the metrics of this package, and nothing else of it.
    if name in _HOMES:
        return getattr(import_module(_HOMES[name]), name)
    raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
