"""Explains what is wrong with a setting in the words of this package rather than pydantic's."""

import difflib
import json
from collections.abc import Iterable, Mapping
from typing import Any, get_args

from pydantic import BaseModel, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails

from rarr.settings.endpoints import Endpoint
from rarr.settings.reading import EXAMPLES, file_in_use
from rarr.tools.text.wording import without_prefix

_CURES = {
    "bool": "give true or false",
    "string": "give a text",
    "path": "give a path",
    "list": 'give a list, such as ["a", "b"]',
}
_NUMBERS = {"int": ("a whole number", 20), "float": ("a number", 0.5)}
_SERVING = "serve_"
_OTHER_NAMES = {
    **dict.fromkeys(("passages", "documents", "docs", "evidence", "sources"), "sources"),
    **dict.fromkeys(("question", "query", "messages", "context"), "context"),
    "deadline": "deadline_s",
    "llm": "model",
}
"""What people call an argument of a call or a setting, and its name."""


def one_line(
    error: ValidationError,
    given: Mapping[str, Any],
    fields: Mapping[str, FieldInfo],
    environment: Mapping[str, str],
) -> str:
    """Writes the first error in one line, with the origin of the value: an argument, a variable or a file.

    The value itself is shown only if the setting holds no key.
    """
    first = error.errors()[0]
    key = ".".join(map(str, first["loc"]))
    if not key:  # an error of several settings together
        return without_prefix(first["msg"])
    if first["type"] == "extra_forbidden" and len(first["loc"]) == 1:
        where = "" if key in given else f" in {file_in_use()}"
        return unknown_setting(key, fields, where)
    name = _origin(key, given, environment)
    if first["type"] == "extra_forbidden":
        return f"{name} is unknown: an endpoint has {', '.join(Endpoint.model_fields)}"
    secret = first["loc"][0] in names_with(SecretStr, fields)
    value = "wrong" if secret else repr(first["input"])
    return f"{name} is {value}: {cure(first, fields)}"


def _origin(key: str, given: Mapping[str, Any], environment: Mapping[str, str]) -> str:
    """Names a setting in an error with its origin: an argument, a variable or a file."""
    setting = key.partition(".")[0]
    variable = f"RARR_{setting.upper()}"
    if setting in given:
        return f"setting {key!r}"
    if variable not in map(str.upper, environment):
        return f"setting {key!r} in {file_in_use()}"
    return variable if key == setting else f"{variable}, in which {key!r}"


def cure(error: ErrorDetails, fields: Mapping[str, FieldInfo]) -> str:
    """Writes what to give instead of the wrong value of a setting, such as "give true or false"."""
    setting, kind = str(error["loc"][0]), error["type"].partition("_")[0]
    if kind in _NUMBERS:
        noun, example = _NUMBERS[kind]
        return f"give {noun}, such as {_number(fields[setting].default, error, example):g}"
    if kind == "dict" and setting in EXAMPLES:
        return f"give a table, such as {json.dumps(EXAMPLES[setting])}"
    if kind in _CURES:
        return _CURES[kind]
    message = without_prefix(error["msg"])
    is_limit = kind in ("greater", "less")
    return message.replace("Input should be", "give a number" if is_limit else "give", 1)


def unknown_setting(key: str, names: Iterable[str], where: str = "") -> str:
    """Writes the error for an argument or key of a file that is no setting. `where`: as " in rarr.toml"."""
    if (name := _OTHER_NAMES.get(key)) is not None:
        cure = f"give {name}=..." if name in names else f"give it to the call, as in revise(text, {name}=...)"
        return f"unknown setting {key!r}{where}: it is called {name}; {cure}"
    return f"unknown setting {key!r}{where}" + (_closest(key, names) or f": settings are {', '.join(names)}")


def unknown_variable(key: str, names: Iterable[str]) -> str:
    """Writes the error for a variable RARR_... that is no setting, to be put after its name."""
    return f"is not a setting{_closest(key, names)}: unset it"


def _closest(key: str, names: Iterable[str]) -> str:
    """Writes " (did you mean NAME?)" with the closest of `names`; "" if none is close.

    A setting of `rarr serve` comes last, unless the key begins as these do.
    """
    listed = list(names)
    own = [name for name in listed if not name.startswith(_SERVING) or key.startswith(_SERVING)]
    close = difflib.get_close_matches(key, own, n=1) or difflib.get_close_matches(key, listed, n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def _number(default: Any, error: ErrorDetails, example: float) -> float:
    """Returns the default if it is a number and the error is about the setting itself, else `example`."""
    usable = isinstance(default, int | float) and len(error["loc"]) == 1
    return default if usable else example


def names_with(kind: type, fields: Mapping[str, FieldInfo]) -> frozenset[str]:
    """Returns the names of the fields whose value is a `kind`, or may hold one in a table or a list."""
    return frozenset(name for name, field in fields.items() if holds(field.annotation, kind))


def holds(annotation: Any, kind: type) -> bool:
    """True if a value with this annotation is a `kind`, or may hold one, as `endpoints` holds keys."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return bool(names_with(kind, annotation.model_fields))
    return annotation is kind or any(holds(part, kind) for part in get_args(annotation))
