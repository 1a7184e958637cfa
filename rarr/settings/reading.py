"""Reads settings from the working directory, and lists and tables from variables of the environment.

The file is `rarr.toml`, or else the table `[tool.rarr]` of `pyproject.toml`.
"""

import json
import tomllib
from contextlib import suppress
from functools import lru_cache
from pathlib import Path
from typing import Any, get_origin

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from rarr.errors import SettingsError

_OWN, _SHARED = Path("rarr.toml"), Path("pyproject.toml")


def file_in_use() -> Path:
    """The path that `file_values` reads: rarr.toml if it exists, else pyproject.toml, even if missing."""
    return _OWN if _OWN.is_file() else _SHARED


def file_values() -> dict[str, Any]:
    """Reads the settings of the file; {} if there is none. Raises `SettingsError`, which names the file."""
    # pydantic-settings' own file sources warn where a configured file is not the file in use.
    file = file_in_use()
    values = _read(file) if file.is_file() else {}
    if file == _OWN:
        if any(isinstance(values.get(table), dict) for table in ("tool", "rarr")):
            raise SettingsError(
                "rarr.toml holds the settings themselves, such as window = 5: leave out the line"
                " [tool.rarr] or [rarr], which is for pyproject.toml"
            )
        return values
    tool = values.get("tool", {})
    table = tool.get("rarr", {}) if isinstance(tool, dict) else {}
    if not isinstance(table, dict):
        raise SettingsError(
            "tool.rarr in pyproject.toml is not a table: write [tool.rarr], and settings below it"
        )
    return table


def _read(path: Path) -> dict[str, Any]:
    try:
        return _parsed(path.read_text(encoding="utf-8"))
    except (tomllib.TOMLDecodeError, UnicodeDecodeError, OSError) as error:
        raise SettingsError(f"{path} cannot be read: {error}: correct it") from None


@lru_cache(maxsize=4)  # an application makes many settings beside one file
def _parsed(text: str) -> dict[str, Any]:
    return tomllib.loads(text)


EXAMPLES: dict[str, dict[str, Any]] = {
    "models": {"edit": "openai:NAME"},
    "endpoints": {"vllm:NAME": {"base_url": "http://localhost:8000/v1"}},
    "source_kinds": {"example.org": "news"},
    "serve_corpora": {"notes": "notes/"},
}
"""An example of each setting that is a table."""


class Variables(EnvSettingsSource):
    """Reads settings from the environment: lists with commas (a.org,b.org) or as JSON, tables as JSON."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: str) -> Any:
        """Parses a list or table. Raises `SettingsError`, which does not show `value`: it may hold a key."""
        is_list = get_origin(field.annotation) is list
        if is_list and not value.lstrip().startswith(("[", "{", '"')):
            return [part.strip() for part in value.split(",") if part.strip()]
        parsed = None
        with suppress(ValueError, RecursionError):
            parsed = json.loads(value)
        if isinstance(parsed, list if is_list else dict):
            return parsed
        cure = 'is not a list: write it with commas, such as a,b, or as JSON, such as ["a", "b"]'
        if not is_list:
            cure = f"is not a JSON object: write it like '{json.dumps(EXAMPLES[field_name])}'"
        raise SettingsError(f"{self.env_prefix}{field_name.upper()} {cure}")
