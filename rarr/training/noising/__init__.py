"""Training data by noising (PURR, Chen et al. 2023): from a query to evidence, a text, and errors in it."""
