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
    if isinstance(given, str):
        return value if _is_valid(given) else _mended(given)  # type: ignore[return-value]  # a string for a string
    parts: list[Any] = []
    if isinstance(given, dict):
        parts = [*given, *given.values()]
    elif type(given) in (list, tuple):
        parts = [*given]
    made = [valid(part) for part in parts]
    if all(new is old for new, old in zip(made, parts, strict=True)):
        return value  # nearly all values need no copy
    keys = len(given)
    copy: Any = (
        dict(zip(made[:keys], made[keys:], strict=True)) if isinstance(given, dict) else type(given)(made)
    )
    return copy  # type: ignore[no-any-return]  # it has the type of `value`


def _is_valid(text: str) -> bool:
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return "\0" not in text


def _mended(text: str) -> str:
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", REPLACEMENT)
