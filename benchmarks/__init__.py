"""Measurements. The text at the top of each module says how to run it and what it prints."""
