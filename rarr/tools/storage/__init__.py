"""Writes files and databases so that a crash never leaves them half-written."""
