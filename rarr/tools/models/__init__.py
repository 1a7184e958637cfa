"""Chat models: protocols, retries, budgets, and the reading of their answers."""
