"""The one door for text from outside: what models, servers, sources, files, arguments and callers give."""

from typing import Any, TypeVar

Value = TypeVar("Value")


def valid(value: Value) -> Value:
    """`value` as Unicode that every encoding, file and database can hold; it may be nested, as JSON is.

    Two halves of a surrogate pair become one character. A lone half, and NUL, becomes U+FFFD: of the same
    length, so that offsets stay. Other values than strings, lists, tuples and dicts stay as they are.
    """
    given: Any = value
    if isinstance(given, str):
        given = given if _is_valid(given) else _mended(given)
    elif type(given) in (list, tuple):
        given = type(given)([valid(one) for one in given])
    elif isinstance(given, dict):
        given = {valid(key): valid(one) for key, one in given.items()}
    return given  # type: ignore[no-any-return]  # of the type of `value`


def _is_valid(text: str) -> bool:
    if "\0" in text:
        return False
    if text.isascii():
        return True
    try:
        text.encode()
    except UnicodeEncodeError:
        return False
    return True


def _mended(text: str) -> str:
    joined = text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return joined.replace("\0", "\ufffd")
