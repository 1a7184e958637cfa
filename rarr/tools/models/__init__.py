"""Sends requests to chat models, with retries and budgets, and reads their answers."""
