"""Every node's input and output in a run: recorded in one file, shown, and replayed with other prompts."""
