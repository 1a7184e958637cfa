"""Revises, cites or checks many texts: runs jobs (a job works on one text), and batches of a file's rows."""
