"""Rerankers that are servers or models of their own, and the cache of their scores."""
