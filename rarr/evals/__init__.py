"""Measures how good revisions are: metrics, and runs over data."""
