"""Makes text from outside valid: texts of models, servers, sources, files, arguments and callers."""

from collections.abc import Iterable
from typing import Any, TypeVar

Value = TypeVar("Value")

REPLACEMENT = "\ufffd"
"""The character that replaces each character that is not valid."""
_NO_TEXT = frozenset((int, float, bool, type(None)))


def valid(value: Value) -> Value:
    """Makes all strings in `value`, which may be nested like JSON, valid Unicode, and returns it.

    The two halves of a surrogate pair become one character. A lone half, and NUL, become U+FFFD, which has
    the same length, so that offsets stay. Other values than strings, lists, tuples and dicts stay as they
    are. Keys of a dict that become equal are numbered from the second on, so that no value is lost.
    """
    given: Any = value
    if _is_sound(given):
        return value
    if isinstance(given, str):
        given = _mended(given)
    elif type(given) in (list, tuple):
        given = type(given)([valid(item) for item in given])
    elif isinstance(given, dict):
        given = _mapping(given)
    return given  # type: ignore[no-any-return]  # it has the type of `value`


def _is_sound(value: Any) -> bool:
    """Are all strings valid? Nearly all values are, and need no copy."""
    if isinstance(value, str):
        return _is_valid(value)
    if isinstance(value, dict):
        return _are_sound(value) and _are_sound(value.values())
    return type(value) not in (list, tuple) or _are_sound(value)


def _are_sound(values: Iterable[Any]) -> bool:
    for value in values:  # every record passes here: a call for each of its values would take long
        if type(value) is str:
            if "\0" in value or not (value.isascii() or _is_valid(value)):
                return False
        elif type(value) not in _NO_TEXT and not _is_sound(value):
            return False
    return True


def _mapping(given: dict[Any, Any]) -> dict[Any, Any]:
    """Returns a dict with valid keys and values, in the same order. A valid key is not changed."""
    taken = {key for key in given if valid(key) is key}
    result: dict[Any, Any] = {}
    for key, item in given.items():
        mended = name = valid(key)
        number = 1
        while mended is not key and name in taken:
            number += 1
            name = f"{mended} ({number})"
        taken.add(name)
        result[name] = valid(item)
    return result


def _is_valid(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _mended(text: str) -> str:
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", REPLACEMENT)
