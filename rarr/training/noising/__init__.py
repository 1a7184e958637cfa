"""Makes training data by noising (PURR, Chen et al. 2023): query, evidence, a text, errors in it."""
