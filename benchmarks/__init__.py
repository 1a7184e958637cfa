"""Measurements; each module says how it is run and what it prints."""
