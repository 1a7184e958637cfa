"""Repairs Unicode that is not valid in text from models, servers, sources, files and callers."""

from contextlib import suppress
from typing import Any, TypeVar

Value = TypeVar("Value")

REPLACEMENT = "\ufffd"
"""The character U+FFFD, which replaces each invalid character."""


def valid(value: Value) -> Value:
    """Returns `value` with valid Unicode in all its strings, also in nested lists, tuples and dicts.

    The two halves of a surrogate pair become one character. A single half, or NUL, becomes U+FFFD, which has
    the same length, so that offsets stay the same. All other values are returned unchanged.
    """
    given: Any = value
    if isinstance(given, str):
        given = given if given.isascii() and "\0" not in given else _repaired(given)
    elif isinstance(given, dict):
        given = {valid(key): valid(part) for key, part in given.items()}
    elif type(given) in (list, tuple):
        given = type(given)(map(valid, given))
    return given  # type: ignore[no-any-return]  # it has the type of `value`


def _repaired(text: str) -> str:
    with suppress(UnicodeEncodeError):
        if "\0" not in text and text.encode():
            return text
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", REPLACEMENT)
