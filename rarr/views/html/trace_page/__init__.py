"""The page of a run: its templates, and the values that Python prepares for them."""
