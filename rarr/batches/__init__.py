"""Runs jobs, and revises the rows of a file: the same rows with their results come out."""
