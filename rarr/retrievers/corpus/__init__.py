"""The user's own documents: scanned, cut into passages, indexed and searched."""
