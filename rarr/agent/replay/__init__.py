"""A recorded run, run again: as it was, or with another prompt or model."""
