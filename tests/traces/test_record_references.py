"""Records stand once, and come back as they were."""

import json
from typing import Any

import pytest
from makers import check, evidence

from rarr.errors import InputError
from rarr.traces.record_references import Packer, Unpacker


def unpacked(*packed: tuple[str, str]) -> list[Any]:
    unpacker = Unpacker()
    for _, records in packed:
        unpacker.learn(json.loads(records))
    return [unpacker.unpack(json.loads(value)) for value, _ in packed]


def test_nested_records_are_unpacked_in_place() -> None:
    value = {"evidence": [evidence(), {"deep": [check()]}], "text": "Où\n\x1b", "none": None}
    assert unpacked(Packer().pack(value)) == [value]


def test_record_is_written_once() -> None:
    packer, record = Packer(), check()
    first, second = packer.pack([record]), packer.pack([record, record])
    assert second[1] == "[]"
    assert unpacked(first, second) == [[record], [record, record]]


def test_value_outside_json_is_refused() -> None:
    with pytest.raises(TypeError, match="cannot hold an object"):
        Packer().pack({"one": object()})


@pytest.mark.parametrize("reference", [7, "x", None, True, {}, [], [1, 2]])
def test_record_that_is_missing_is_named(reference: object) -> None:
    with pytest.raises(InputError, match="damaged"):
        Unpacker().unpack({"#": reference})


@pytest.mark.parametrize(
    ("name", "fields", "message"),
    [("Later", {}, "later version"), ("Check", {"verdict": "x"}, "Check.verdict")],
)
def test_record_of_another_shape_is_refused(name: str, fields: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        Unpacker().learn([(1, name, fields)])


@pytest.mark.parametrize("number", [float("inf"), float("nan")])
def test_number_outside_json_is_refused(number: float) -> None:
    with pytest.raises(ValueError, match="JSON"):
        Packer().pack({"cost": number})
