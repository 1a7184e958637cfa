"""Records what every node of a run reads and returns. Reads the records to show the run or to repeat it."""
