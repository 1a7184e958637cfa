"""Answers questions from a graph or from passages, so that every statement names its sources."""
