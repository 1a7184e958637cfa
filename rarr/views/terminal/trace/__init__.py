"""Renders traces as text or JSON: the list of runs, and the tree of one run."""
