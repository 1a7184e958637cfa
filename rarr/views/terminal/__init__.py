"""Renders revisions, runs, replays and measures as text for a terminal or a pipe."""
