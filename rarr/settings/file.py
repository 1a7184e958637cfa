"""Reads settings from the working directory: `rarr.toml`, or the table `[tool.rarr]` of `pyproject.toml`."""

import tomllib
from functools import lru_cache
from pathlib import Path
from typing import Any

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
