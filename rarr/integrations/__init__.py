"""Connects `rarr` to other programs: one file or folder for each."""
