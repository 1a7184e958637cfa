"""The page of an evaluation: its templates, and what Python prepares for them."""
