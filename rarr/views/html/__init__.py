"""Writes a recorded run as a page of HTML."""
