"""Finds the values of a text (such as numbers and dates), compares them, and rewrites one as another."""
