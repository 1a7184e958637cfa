"""Postprocesses the answer of a model before an application sends it out."""
