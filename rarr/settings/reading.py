"""Reads settings from a file and the environment, and explains a wrong setting in one line."""

import difflib
import json
import re
import tomllib
from collections.abc import Iterable, Mapping
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Annotated, Any, get_args, get_origin

from pydantic import AfterValidator, BaseModel, BeforeValidator, SecretStr, ValidationError
from pydantic.fields import FieldInfo
from pydantic_core import ErrorDetails
from pydantic_settings import EnvSettingsSource

from rarr.errors import SettingsError

_CURES = {
    "missing": "it is missing: give it",
    "too_short": "it is empty: give at least one, or leave it out",
    **dict.fromkeys(("string_too_short", "string_pattern_mismatch"), "it is empty: give a text"),
    "string": "give a text",
    "string_unicode": "it is no valid Unicode: leave out halves of surrogate pairs",
    **dict.fromkeys(("list", "tuple"), "give a list"),
    **dict.fromkeys(("dict", "model"), "give an object"),
    "bool": "give true or false",
    "float": "give a number",
    "int": "give a whole number",
}
"""What to give instead of a wrong value, by the type of pydantic's error without endings such as `_type`."""
_OTHER_NAMES = {
    **dict.fromkeys(("passages", "documents", "docs", "evidence", "source", "sources"), "sources"),
    **dict.fromkeys(("question", "query", "messages", "context"), "context"),
    "deadline": "deadline_s",
    "llm": "model",
}
"""Names that people use for an argument by mistake, and its real name."""
_OWN, _SHARED = Path("rarr.toml"), Path("pyproject.toml")
_DATE = re.compile(r"(\d{4})(?:(-\d\d)(-\d\d(?:[T ].+)?)?)?")
_DOMAIN = re.compile(r"(?:(?!-)[\w-]{1,63}(?<!-)\.)*(?!-)[\w-]{1,63}(?<!-)")


def _file_in_use() -> Path:
    return _OWN if _OWN.exists() else _SHARED


def file_values() -> dict[str, Any]:
    """Reads the settings from the file; {} if there is no file. Raises `SettingsError` if reading fails."""
    # The file sources of pydantic-settings would warn about the file that is not in use.
    file = _file_in_use()
    try:
        values = tomllib.loads(file.read_text(encoding="utf-8")) if file.exists() else {}
    except IsADirectoryError:
        raise SettingsError(f"{file} cannot be read: it is a folder: rename it") from None
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        why = error.strerror if isinstance(error, OSError) else error
        raise SettingsError(f"{file} cannot be read: {why}: correct it") from None
    table = values if file == _OWN else values.get("tool", {}).get("rarr", {})
    if not isinstance(table, dict):
        raise SettingsError("tool.rarr in pyproject.toml is not a table: write [tool.rarr]")
    return table


class EnvSource(EnvSettingsSource):
    """Reads settings from environment variables. A list is written as JSON or a,b; a table as JSON."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: str) -> Any:
        """Parses a list or table. A `SettingsError` does not show `value`, which may contain a key."""
        if not isinstance(found := parsed_setting(field, value), str):
            return found
        lists = get_origin(field.annotation) is list
        wanted = 'list: write it as a,b or ["a", "b"]' if lists else 'JSON object: write it as {"NAME": ...}'
        raise SettingsError(f"{self.env_prefix}{field_name.upper()} is not a {wanted}")


def parsed_setting(field: FieldInfo, value: str) -> Any:
    """Parses the value of a setting that is a list (JSON, or with commas) or a table (JSON).

    Returns the value unchanged if the setting has another type, or if parsing fails.
    """
    kind = get_origin(field.annotation)
    if kind is list and not value.lstrip().startswith(("[", "{", '"')):
        return [part.strip() for part in value.split(",") if part.strip()]
    with suppress(ValueError, RecursionError):
        if kind in (list, dict) and isinstance(found := json.loads(value), kind):
            return found
    return value


def error_line(
    error: ValidationError, given: Mapping[str, Any], fields: Mapping[str, FieldInfo], variables: set[str]
) -> str:
    """Describes the first error in one line. The line names the file or variable from which the value comes.

    The line shows the value, unless the setting may contain an API key.
    """
    first = error.errors()[0]
    place, key = first["loc"], ".".join(map(str, first["loc"]))
    if not key:  # the error is about several settings together
        return cure_of(first)
    setting, variable = str(place[0]), f"RARR_{str(place[0]).upper()}"
    where = "" if setting in given or setting not in file_values() else f" in {_file_in_use()}"
    if setting not in fields:
        unknown, called = f"unknown setting {key!r}{where}", _OTHER_NAMES.get(key)
        if called:
            told = f"it is called {called}, in" if called != key else "it is an argument of"
            return f"{unknown}: {told} the call revise(text, {called}=...)"
        return f"{unknown}{closest_name(key, fields)}: see the guide to settings"
    name = f"setting {key!r}{where}"
    if setting not in given and variable in map(str.upper, variables):
        name = variable if key == setting else f"{variable}, in which {key!r}"
    value = "wrong" if has_type(fields[setting].annotation, SecretStr) else repr(first["input"])
    return f"{name} is {value}: {cure_of(first)}"


def cure_of(error: ErrorDetails) -> str:
    """Returns what to give instead of a value that pydantic refused, such as "give a text"."""
    kind, message = error["type"], error["msg"].replace("Value error, ", "", 1)
    if found := _CURES.get(re.sub("_(type|parsing|from_float)$", "", kind)):
        return found
    if kind == "value_error":  # a validator of this package raised it, and its message names the cure
        return message
    number = "a number " if kind.startswith(("greater", "less")) else ""
    wanted = message.removeprefix("Input should be ")
    return f"{message}: correct it" if wanted == message else f"give {number}{wanted}"


def closest_name(key: str, names: Iterable[str]) -> str:
    """Returns " (did you mean NAME?)" with the most similar of `names`; "" if none is similar."""
    close = difflib.get_close_matches(key, list(names), n=1)
    return f" (did you mean {close[0]!r}?)" if close else ""


def has_type(annotation: Any, kind: type) -> bool:
    """Tells whether the type `annotation` is or contains `kind`: in a union, a list, or a model's fields."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return any(has_type(field.annotation, kind) for field in annotation.model_fields.values())
    return annotation is kind or any(has_type(part, kind) for part in get_args(annotation))


def parse_moment(value: Any) -> datetime:
    """Parses the date of a setting. Pydantic would read a number, even a year, as seconds since 1970."""
    if not (match := _DATE.fullmatch(str(value).strip())):
        raise ValueError("give a year, such as 2020, a day, such as 2020-01-31, or 2020-01-31T12:00Z")
    moment = datetime.fromisoformat(match[1] + (match[2] or "-01") + (match[3] or "-01"))
    return moment if moment.tzinfo else moment.replace(tzinfo=UTC)


def _parse_domain(name: str) -> str:
    plain = name.strip().removeprefix("*").removeprefix(".").removesuffix(".")
    if not _DOMAIN.fullmatch(plain):
        raise ValueError("it is not a domain: give a host, such as example.org")
    return plain


def sendable_key(key: SecretStr) -> SecretStr:
    """Returns the key without white space around it. Raises `ValueError` if no header can carry the key."""
    plain = key.get_secret_value().strip()
    if not (plain.isascii() and plain.isprintable()):
        raise ValueError("it has a character that no HTTP header can carry: copy it again")
    return SecretStr(plain)


Key = Annotated[SecretStr, AfterValidator(sendable_key)]
Moment = Annotated[datetime, BeforeValidator(parse_moment)]
"""A time in ISO 8601, or a year, month or day, which means its first moment. The default zone is UTC."""
Domain = Annotated[str, AfterValidator(_parse_domain)]
"""A domain such as example.org. A leading "*." is removed."""
