"""Threads, tasks, and actions for the end of a process."""
