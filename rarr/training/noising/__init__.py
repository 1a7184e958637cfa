"""Training data by noising (PURR, Chen et al. 2023): queries to evidence to a text to errors in it."""
