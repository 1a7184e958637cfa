"""Protects against data of other people: limits bytes, finds injected instructions, and quotes texts."""
