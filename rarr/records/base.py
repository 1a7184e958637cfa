"""Declares the base class of all records."""

from typing import Any

from pydantic import BaseModel, model_validator

from rarr.valid_unicode import valid


class Record(BaseModel, frozen=True, extra="forbid"):
    """Base of all records: frozen; refuses unknown fields, and makes text valid Unicode."""

    @model_validator(mode="before")
    @classmethod
    def _holds_valid_unicode(cls, values: Any) -> Any:
        return valid(values)
