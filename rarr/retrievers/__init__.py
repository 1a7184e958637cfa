"""Finds passages (pieces of sources) as evidence: in the user's documents, in Wikipedia and on the web."""
