"""Makes text from outside valid: texts of models, servers, sources, files, arguments and callers."""

from typing import Any, TypeVar

Value = TypeVar("Value")

REPLACEMENT = "\ufffd"
"""The character that replaces each character that is not valid."""


def valid(value: Value) -> Value:
    """Makes all strings in `value`, which may be nested like JSON, valid Unicode, and returns it.

    The two halves of a surrogate pair become one character. A lone half, and NUL, become U+FFFD, which has
    the same length, so that offsets stay. Other values than strings, lists, tuples and dicts stay as they
    are, and so does a value that is valid already: the same object comes back.
    """
    given: Any = value
    if _is_valid(given):
        return value  # nearly all values need no copy
    if isinstance(given, str):
        joined = given.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
        copy: Any = joined.replace("\0", REPLACEMENT)
    elif isinstance(given, dict):
        copy = {valid(key): valid(part) for key, part in given.items()}
    else:
        copy = type(given)(valid(part) for part in given)
    return copy  # type: ignore[no-any-return]  # it has the type of `value`


def _is_valid(value: Any) -> bool:
    if isinstance(value, str):
        try:
            return "\0" not in value and (value.isascii() or bool(value.encode()))
        except UnicodeEncodeError:
            return False
    if isinstance(value, dict):
        return all(map(_is_valid, value)) and all(map(_is_valid, value.values()))
    return type(value) not in (list, tuple) or all(map(_is_valid, value))
