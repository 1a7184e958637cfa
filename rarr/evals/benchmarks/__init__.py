"""The benchmarks of published papers. Each module declares rows, a worker and tables (see `bench`)."""
