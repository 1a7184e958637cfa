"""Scans the user's own documents, cuts them into passages, indexes and searches the passages."""
