"""Judges sentences by Hugging Face models for natural language inference, NLI (extra `torch`)."""
