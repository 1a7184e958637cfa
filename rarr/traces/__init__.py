"""Records the steps of each run in a file, and reads the file to show the run or to repeat the run."""
