"""Packs and unpacks the values of a run as JSON. Each record is written once, then referred to by number.

Most updates repeat the records so far, and a frozen record need not be written again. `{"#": 7}` is record 7.
No plain value of a run has this form, not even the answers of models, whose fields are those of the prompts.
"""

import json
from collections.abc import Mapping
from typing import Any

from pydantic import ValidationError

from rarr import records
from rarr.errors import InputError
from rarr.records import Record, answers, articles, card, usage
from rarr.tools.text.wording import kind_of

_REFERENCE = "#"
_KINDS = {
    name: kind
    for name, kind in {
        **vars(answers),
        **vars(articles),
        **vars(card),
        **vars(usage),
        **vars(records),
    }.items()
    if isinstance(kind, type) and issubclass(kind, Record)
}

Numbered = tuple[int, str, Any]  # number, name of the class, JSON of its fields


class Packer:
    """Writes values of one run as JSON in which numbers stand for records, so that each is written once."""

    def __init__(self, first: int = 1) -> None:
        """`first`: the number of the next record."""
        self._next = first
        self._records: dict[int, tuple[int, Record]] = {}  # by identity; holding a record keeps its id
        self._new: list[str] = []
        self._encode = json.JSONEncoder(
            default=self._reference, ensure_ascii=False, allow_nan=False, separators=(",", ":")
        ).encode

    def pack(self, value: Any) -> tuple[str, str]:
        """Returns `value` as JSON with numbers for records, and a JSON list of the records new in it.

        Raises `TypeError` and `ValueError` for values that JSON cannot hold, such as NaN.
        """
        self._new = []
        text = self._encode(value)
        return text, f"[{','.join(self._new)}]"

    def _reference(self, value: Any) -> dict[str, int]:
        if not isinstance(value, Record):
            raise TypeError(f"a trace cannot hold {kind_of(value)}")
        record = self._records.get(id(value))
        if record is None:
            record = self._records[id(value)] = (self._next, value)
            self._new.append(f'[{self._next},"{type(value).__name__}",{value.model_dump_json()}]')
            self._next += 1
        return {_REFERENCE: record[0]}


class Unpacker:
    """Puts the records of one run back into the values that `Packer` wrote, in place of their numbers."""

    def __init__(self) -> None:
        self._records: dict[int, Record] = {}

    def learn(self, numbered: list[Numbered]) -> None:
        """Adds records. Raises `InputError` for a record of an unknown kind, or with other fields."""
        for number, name, fields in numbered:
            if name not in _KINDS:
                raise InputError(f"a trace holds a {name}: it was made by a later version of rarr")
            try:
                self._records[number] = _KINDS[name].model_validate(fields)
            except ValidationError as error:
                where = f"{name}.{'.'.join(map(str, error.errors()[0]['loc']))}"
                raise InputError(f"a trace cannot be read at its record {number} ({where})") from None

    def unpack(self, value: Any) -> Any:
        """Replaces the numbers in `value` by their records. Raises `InputError` if a record is missing."""
        if isinstance(value, list):
            return [self.unpack(part) for part in value]
        if not isinstance(value, Mapping):
            return value
        if list(value) == [_REFERENCE]:
            return self._referred(value[_REFERENCE])
        return {key: self.unpack(part) for key, part in value.items()}

    def _referred(self, value: Any) -> Any:
        if type(value) is not int or value not in self._records:
            raise InputError(f"a trace lacks its record {value!r}: it is damaged")
        return self._records[value]
