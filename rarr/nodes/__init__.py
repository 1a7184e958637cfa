"""The steps of the pipeline. Each file has the function of one graph node, mostly with the same name."""
