"""Writes the values of rows as JSON, whatever kind they are of."""

import base64
import json
import math
from typing import Any


def json_text(value: object) -> str:
    """Writes a value as JSON. Dates and the like become text, bytes base64, and NaN and infinity null."""
    try:
        return _written(value)
    except ValueError:  # a float that JSON has no word for
        return _written(_finite(value))


def base64_or_text(value: object) -> str:
    """Returns bytes as base64, and any other value as its text."""
    return base64.b64encode(value).decode() if isinstance(value, bytes) else str(value)


def _written(value: object) -> str:
    return json.dumps(value, ensure_ascii=False, allow_nan=False, default=base64_or_text)


def _finite(value: Any) -> Any:
    """Replaces the floats that JSON has no word for, in all that is in the value."""
    if isinstance(value, dict):
        return {name: _finite(part) for name, part in value.items()}
    if isinstance(value, list | tuple):
        return [_finite(part) for part in value]
    return None if isinstance(value, float) and not math.isfinite(value) else value
