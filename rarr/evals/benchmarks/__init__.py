"""Benchmarks of the literature, on data that the caller gives. Each makes a `BenchmarkReport`."""
