"""Limits on data from others: bytes, and signs of injected instructions."""
