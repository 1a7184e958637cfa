"""Writes files so that a crash never leaves half of a file or half of a line."""
