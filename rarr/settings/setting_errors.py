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
    place, key = first["loc"], ".".join(map(str, first["loc"]))
    if not key:  # an error of several settings together
        return without_prefix(first["msg"])
    is_unknown = first["type"] == "extra_forbidden"
    if is_unknown and len(place) == 1:
        return unknown_setting(key, fields, "" if key in given else f" in {file_in_use()}")
    setting, variable = str(place[0]), f"RARR_{str(place[0]).upper()}"
    name = f"setting {key!r}" if setting in given else f"setting {key!r} in {file_in_use()}"
    if setting not in given and variable in map(str.upper, environment):
        name = variable if key == setting else f"{variable}, in which {key!r}"
    if is_unknown:
        return f"{name} is unknown: an endpoint has {', '.join(Endpoint.model_fields)}"
    value = "wrong" if setting in names_with(SecretStr, fields) else repr(first["input"])
    return f"{name} is {value}: {cure(first, fields)}"


def cure(error: ErrorDetails, fields: Mapping[str, FieldInfo]) -> str:
    """Writes what to give instead of the wrong value of a setting, such as "give true or false"."""
    setting, kind = str(error["loc"][0]), error["type"].partition("_")[0]
    if kind in _NUMBERS:
        noun, example = _NUMBERS[kind]
        default = fields[setting].default if len(error["loc"]) == 1 else None
        return f"give {noun}, such as {default if isinstance(default, int | float) else example:g}"
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
    """Writes " (did you mean NAME?)" with the closest of `names`; "" if none is close."""
    close = difflib.get_close_matches(key, list(names), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def names_with(kind: type, fields: Mapping[str, FieldInfo]) -> frozenset[str]:
    """Returns the names of the fields whose value is a `kind`, or may hold one in a table or a list."""
    return frozenset(name for name, field in fields.items() if holds(field.annotation, kind))


def holds(annotation: Any, kind: type) -> bool:
    """True if a value with this annotation is a `kind`, or may hold one, as `endpoints` holds keys."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return bool(names_with(kind, annotation.model_fields))
    return annotation is kind or any(holds(part, kind) for part in get_args(annotation))
