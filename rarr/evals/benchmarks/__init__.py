"""The benches of the literature: each declares its rows, what works on them, and its tables (see `bench`)."""
