"""Searches graphs of triples: files of the user, and SPARQL endpoints."""
