"""What decides about edits: the gate, and what it weighs."""
