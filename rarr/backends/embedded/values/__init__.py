"""Finds the values of a text, compares two of them, and tells whether one fits in the place of another."""

from rarr.backends.embedded.values.comparing import compare, is_rounded, replacement, same, states
from rarr.backends.embedded.values.forms import Date, Value
from rarr.backends.embedded.values.reading import values

__all__ = ["Date", "Value", "compare", "is_rounded", "replacement", "same", "states", "values"]
