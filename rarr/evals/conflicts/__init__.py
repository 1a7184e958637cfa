"""Measures whether a model follows its evidence or its memory when the two are in conflict."""
