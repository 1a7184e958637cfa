"""Settings from environment variables: how lists and tables are written there."""

import json
from typing import Any, get_origin

from pydantic.fields import FieldInfo
from pydantic_settings import EnvSettingsSource

from rarr.errors import SettingsError

EXAMPLES: dict[str, dict[str, Any]] = {
    "models": {"edit": "openai:NAME"},
    "endpoints": {"vllm:NAME": {"base_url": "http://localhost:8000/v1"}},
    "source_kinds": {"example.org": "news"},
}
"""What a table looks like, by setting."""


class Variables(EnvSettingsSource):
    """Reads a list with commas or as JSON, as in a.org,b.org, and a table as JSON."""

    def decode_complex_value(self, field_name: str, field: FieldInfo, value: str) -> Any:
        """The list or table. Raises `SettingsError`, which does not repeat `value`: a key may be in it."""
        wanted = get_origin(field.annotation)
        if wanted is list and not value.lstrip().startswith(("[", "{", '"')):
            return [part.strip() for part in value.split(",") if part.strip()]
        found = _from_json(value)
        if not isinstance(found, list if wanted is list else dict):
            raise SettingsError(f"{self.env_prefix}{field_name.upper()} {_cure(field_name, wanted)}")
        return found


def _from_json(value: str) -> Any:
    try:
        return json.loads(value)
    except (ValueError, RecursionError):
        return None


def _cure(name: str, wanted: Any) -> str:
    if wanted is list:
        return 'is no list: write it with commas, as in a,b, or as JSON, as in ["a", "b"]'
    return f"is no JSON object: write it as in '{json.dumps(EXAMPLES[name])}'"
