"""Finds the settings that hold a value of a kind, such as a path or a key, by their annotations."""

from collections.abc import Mapping
from typing import Any, get_args

from pydantic import BaseModel
from pydantic.fields import FieldInfo


def names_with(kind: type, fields: Mapping[str, FieldInfo]) -> frozenset[str]:
    """Returns the names of the fields whose value is a `kind`, or may hold one in a table or a list."""
    return frozenset(name for name, field in fields.items() if holds(field.annotation, kind))


def holds(annotation: Any, kind: type) -> bool:
    """True if a value with this annotation is a `kind`, or may hold one, as `endpoints` holds keys."""
    if isinstance(annotation, type) and issubclass(annotation, BaseModel):
        return bool(names_with(kind, annotation.model_fields))
    return annotation is kind or any(holds(part, kind) for part in get_args(annotation))
