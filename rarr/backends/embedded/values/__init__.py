"""Finds the values of a text, compares two of them, and writes one in the form of another."""

from rarr.backends.embedded.values.comparing import compare, is_rounded, same, states, written_like
from rarr.backends.embedded.values.forms import Date, Value
from rarr.backends.embedded.values.reading import values

__all__ = ["Date", "Value", "compare", "is_rounded", "same", "states", "values", "written_like"]
