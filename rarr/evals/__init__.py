"""Measures the quality of revisions: metrics, runs over files of data, and ratings by people."""
