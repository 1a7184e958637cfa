"""Protects against data of other people: limits the size of answers, finds injections, and quotes texts."""
