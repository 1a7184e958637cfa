"""Writes checked documents in the formats that services for continuous integration read."""
