"""Records every node's input and output in a run, and reads the records to show or replay the run."""
