"""Makes text from outside valid: texts of models, servers, sources, files, arguments and callers."""

from contextlib import suppress
from typing import Any, TypeVar

Value = TypeVar("Value")

REPLACEMENT = "\ufffd"
"""The character that replaces each character that is not valid."""


def valid(value: Value) -> Value:
    """Makes all strings in `value`, which may be nested like JSON, valid Unicode, and returns it.

    The two halves of a surrogate pair become one character. A lone half, and NUL, become U+FFFD, which has
    the same length, so that offsets stay. A valid string, and other values than strings, lists, tuples and
    dicts, come back as they are.
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
