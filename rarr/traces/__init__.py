"""What every node of a run saw and said: recorded in one file, shown, and replayed with other prompts."""
