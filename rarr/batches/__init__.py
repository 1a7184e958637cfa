"""Revises the rows of a file: JSON lines, CSV or Parquet in, the same rows with their results out."""

from rarr.batches.file_batch import revise_file

__all__ = ["revise_file"]
