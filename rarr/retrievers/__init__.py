"""Where evidence comes from."""

SOURCES = ("corpus", "wikipedia", "tavily", "searxng")
"""What the setting `search` may name."""
