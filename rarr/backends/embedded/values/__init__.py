"""Finds the values of a text, compares two of them, and writes one in the form of another."""

from rarr.backends.embedded.values.comparing import (
    compare as compare,
    is_rounded as is_rounded,
    same as same,
    states as states,
    written_like as written_like,
)
from rarr.backends.embedded.values.forms import Date as Date, Value as Value
from rarr.backends.embedded.values.reading import values as values
