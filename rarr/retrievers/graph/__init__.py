"""Searches graphs of triples that are files of the user."""
