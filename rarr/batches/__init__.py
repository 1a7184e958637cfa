"""Runs jobs (a job works on one text), and works on all rows of a file."""
