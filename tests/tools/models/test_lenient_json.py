"""JSON as language models write it, and what of it was cut."""

import json
from typing import Any

import pytest

from rarr.tools.models.lenient_json import Array, Bare, Object, Value, find


def plain(value: Value) -> Any:
    if isinstance(value, Object):
        return {key: plain(member) for key, member in value.members}
    if isinstance(value, Array):
        return [plain(item) for item in value.items]
    return json.loads(value) if isinstance(value, Bare) else value


def whole(text: str) -> list[Any]:
    return [
        plain(container.value) for container in find(text) if not container.broken and not container.value.cut
    ]


@pytest.mark.parametrize(
    ("text", "containers"),
    [
        ('{"a": 1, "b": [true, null, -1.5e3]}', [{"a": 1, "b": [True, None, -1500.0]}]),
        ('x {"a": "b"} y [{"c": "d"}] z', [{"a": "b"}, [{"c": "d"}]]),
        ('{"a": "b",, }', [{"a": "b"}]),
        ('{"a": {} "b": [] "c": "d"}', [{"a": {}, "b": [], "c": "d"}]),
        ('{"a": ["b "c" d", "e"]}', [{"a": ['b "c" d', "e"]}]),
        ('{"a": ["b"\n"c"]}', [{"a": ["b", "c"]}]),
        ('{"a": ["b", // no\n]}', [{"a": ["b"]}]),
        ("{'a': 'b', “c”: „d”, ‘e’: ‘f’}", [{"a": "b", "c": "d", "e": "f"}]),
        ('{"a": “b "c" d”}', [{"a": 'b "c" d'}]),
        ('{/* a\n */ a: "b" # c\n}', [{"a": "b"}]),
        ('{"a": "x, y: z"}', [{"a": "x, y: z"}]),
        ('{"a": "// no /* comment */ #"}', [{"a": "// no /* comment */ #"}]),
        ('{"a": "\\u00e9\\"\\/\\q"}', [{"a": 'é"/\\q'}]),
        ("[]", [[]]),
        ("{prose} {} [1] [x](y) {x | x > 0}", []),
        ('{"a" "b"} {"c": "d"}', [{"c": "d"}]),
        ('{"a" {"b": "c"}} {"d": "e"}', [{"d": "e"}]),
    ],
)
def test_whole_objects_and_lists(text: str, containers: list[Any]) -> None:
    assert whole(text) == containers


@pytest.mark.parametrize(
    ("text", "members", "lost"),
    [
        ("{", None, None),
        ('{"', [], ""),
        ('{"a', [], "a"),
        ('{"a"', [], "a"),
        ('{"a":', [], "a"),
        ('{"a": "b', [], "a"),
        ('{"a": "b\\"', [], "a"),
        ('{"a": "b"', [("a", "b")], None),
        ('{"a": "b",', [("a", "b")], None),
        ('{"a": "b"\n```\n', [("a", "b")], None),
        ('{"a": "b", "c', [("a", "b")], "c"),
        ('{"a": "b", "c": tru', [("a", "b")], "c"),
        ('{"a": "b", "c": 12', [("a", "b")], "c"),
        ('{a: "b", c: "d', [("a", "b")], "c"),
        ('{"a": "b", "a!', [("a", "b")], "a!"),
        ('{"a": "b "c"', [], "a"),
        ('{"a": "b" /* c', [], "a"),
    ],
)
def test_truncated_json_is_left_out(
    text: str, members: list[tuple[str, str]] | None, lost: str | None
) -> None:
    expected = [] if members is None else [(Object(list(members), cut=True, lost=lost), False)]
    assert list(find(text)) == expected


@pytest.mark.parametrize("text", ['{"a": b c}', '{"a": "b, "c": "d"}', '{"a": [1}', '{"a": {"b": "c"} d}'])
def test_invalid_json_is_broken(text: str) -> None:
    assert [container.broken for container in find(text)] == [True]


@pytest.mark.parametrize(("depth", "broken"), [(50, False), (51, True)])
def test_depth_is_limited(depth: int, broken: bool) -> None:
    assert [container.broken for container in find('{"a":' * depth + "1" + "}" * depth)] == [broken]
