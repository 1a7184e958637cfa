"""Runs work on threads and event loops, caches it, and calls actions at the end of a process."""
