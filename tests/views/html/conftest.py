"""The scripts of these tests answer verdicts."""

from verdicts import fixtures_with_the_text_in_view, with_the_text_in_view

__all__ = ["fixtures_with_the_text_in_view", "with_the_text_in_view"]
