"""Measures how good revisions are: metrics, and runs over data.

from rarr.evals import evaluate

report = evaluate("data.jsonl", "scores", settings=Settings(corpus="notes/"))
report.measures["f1_ap"].value
"""

from rarr.evals.evaluation import evaluate

__all__ = ["evaluate"]
