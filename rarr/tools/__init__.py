"""Gives access to models, files and threads, and has small pure helpers for texts."""
