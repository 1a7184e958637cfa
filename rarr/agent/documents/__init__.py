"""Checks documents against sources, and changes nothing."""
