"""Files and databases that no crash leaves half-written."""
