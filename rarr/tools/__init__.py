"""The outside world, and small pure helpers."""
