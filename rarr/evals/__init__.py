"""Measures how good revisions are: metrics, and runs over data.

from rarr.evals import compare, evaluate

report = evaluate("data.jsonl", "scores", settings=Settings(corpus="notes/"))
report.measures["f1_ap"].value
compare("scores", "earlier-scores").measures["f1_ap"].paired.p
"""

from rarr.evals.comparison import compare
from rarr.evals.evaluation import evaluate

__all__ = ["compare", "evaluate"]
