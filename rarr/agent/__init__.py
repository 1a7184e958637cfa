"""Runs the pipeline on texts: the public calls, the graph, its wiring, checkpoints and replays."""
