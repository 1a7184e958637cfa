"""Limits on what others send: bytes, and signs of injected instructions."""
