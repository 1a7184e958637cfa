"""Scores passages with a cross-encoder model or a rerank server."""
