"""The page of a run: its templates, and what Python prepares for them."""
