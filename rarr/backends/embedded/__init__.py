"""What ships with the package and needs no language model."""
