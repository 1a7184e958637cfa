"""Retrieves passages of evidence: from the user's documents, from Wikipedia and from the web."""

SOURCES = ("corpus", "wikipedia", "tavily", "searxng")
"""The names that the setting `search` accepts."""
