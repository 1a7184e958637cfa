"""Files and databases that a crash never leaves half-written."""
