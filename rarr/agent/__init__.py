"""The agent: checkpoints, wiring, graph and the public calls."""
