"""The steps of the pipeline. Each file has the function of one node of the graph."""
