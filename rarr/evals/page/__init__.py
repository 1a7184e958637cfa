"""The page of an evaluation: its templates, and the values that Python prepares for them."""
