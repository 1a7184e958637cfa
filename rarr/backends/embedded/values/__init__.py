"""Finds the values of a text (such as numbers and dates), compares them, and rewrites one as another."""

from rarr.backends.embedded.values.comparing import compare, has_value, is_rounded, may_be_equal, replacement
from rarr.backends.embedded.values.forms import Date, Value
from rarr.backends.embedded.values.reading import values

__all__ = ["Date", "Value", "compare", "has_value", "is_rounded", "may_be_equal", "replacement", "values"]
