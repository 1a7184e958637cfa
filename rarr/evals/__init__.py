"""Measures how good revisions are: metrics, and runs over data."""

from rarr.evals.evaluation import evaluate

__all__ = ["evaluate"]
