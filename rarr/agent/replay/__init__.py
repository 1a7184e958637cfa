"""Runs a recorded run again: unchanged, or with another prompt or model."""
