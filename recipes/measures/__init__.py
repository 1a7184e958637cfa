"""What the weights that ship are measured by, each measure in a file of its own."""
