"""Serves `rarr` over HTTP: as a proxy in front of an OpenAI-compatible server, and with its own routes."""
