"""Connects the package with other libraries and programs."""
