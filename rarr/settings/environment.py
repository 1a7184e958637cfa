"""Parses lists and tables in environment variables."""

import json
from typing import Any, get_origin

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from rarr.errors import SettingsError

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
        wanted = get_origin(field.annotation)
        if wanted is list and not value.lstrip().startswith(("[", "{", '"')):
            return [part.strip() for part in value.split(",") if part.strip()]
        parsed = _from_json(value)
        if not isinstance(parsed, list if wanted is list else dict):
            raise SettingsError(f"{self.env_prefix}{field_name.upper()} {_cure(field_name, wanted)}")
        return parsed


def _from_json(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _cure(name: str, wanted: Any) -> str:
    if wanted is list:
        return 'is not a list: write it with commas, such as a,b, or as JSON, such as ["a", "b"]'
    return f"is not a JSON object: write it like '{json.dumps(EXAMPLES[name])}'"
