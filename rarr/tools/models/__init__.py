"""Chat models: protocols, retries, budgets, and readers for their answers."""
