"""Benchmarks of the literature: the measurements of AttrScore and ExpertQA, on data that a folder holds."""
