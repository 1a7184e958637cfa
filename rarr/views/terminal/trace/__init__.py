"""Traces as text: the list of runs, and the tree of one run."""
