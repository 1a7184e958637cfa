"""Writes articles with citations from sources."""
