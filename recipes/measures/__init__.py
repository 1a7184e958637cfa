"""The measures of the weights that ship, one measure per file."""
