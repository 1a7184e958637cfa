"""Retrieves passages of evidence: from the user's documents, from Wikipedia and from the web."""
