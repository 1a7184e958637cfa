"""Cuts the user's own documents into passages, stores the passages in an index, and searches the index."""
