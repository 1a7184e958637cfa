"""Verifies sentences by models of Hugging Face that read evidence and claim together (extra `torch`)."""
