"""Benchmarks of the literature, on data that a folder holds: AttrScore, ExpertQA and FActScore."""
