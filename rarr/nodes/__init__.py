"""The steps of the pipeline: one file, one function, one graph node, all of the same name."""
