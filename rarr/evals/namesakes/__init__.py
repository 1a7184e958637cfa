"""Tests whether a search, and a revision, tells apart the things that share a name (AmbER sets)."""
