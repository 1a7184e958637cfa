"""Runs jobs (a job works on one text), and revises the rows of a file into another file."""
