"""Threads, tasks, and what runs when a process ends."""
