"""Sends requests to models, guards against hostile data, writes files, runs threads, and splits texts."""
