"""The changes of edits to a text, in any order of the edits."""

import pytest
from hypothesis import given
from makers import edit, edited

from rarr.records import Edit, with_edits
from rarr.tools.text.edit_segments import segments


@pytest.mark.parametrize(
    ("edits", "expected"),
    [
        ([edit(4, 5, "X"), edit(0, 1, "Y")], "[a|Y]bcd[e|X]f"),
        ([edit(1, 3, "XY"), edit(2, 4, "Z")], "a[bcd|XZ]ef"),
        ([edit(1, 3, ""), edit(1, 1, "X")], "a[bc|X]def"),
        ([edit(1, 1, "X"), edit(1, 2, "")], "abcdef"),
    ],
    ids=["later edit further left", "over the end of an insertion", "after a deletion", "taken back"],
)
def test_overlapping_edits_are_composed(edits: list[Edit], expected: str) -> None:
    shown = ""
    for kind, text, *_ in segments("abcdef", edits):
        shown += {"kept": text, "deleted": f"[{text}|]", "inserted": f"[|{text}]"}[kind]
    assert shown.replace("|][|", "|") == expected


@given(edited())
def test_segments_hold_both_texts_and_are_neither_empty_nor_split(case: tuple[str, list[Edit]]) -> None:
    original, edits = case
    parts = segments(original, edits)
    assert "".join(text for kind, text, *_ in parts if kind != "inserted") == original
    assert "".join(text for kind, text, *_ in parts if kind != "deleted") == with_edits(original, edits)
    kinds = "".join(segment.kind[0] for segment in parts)
    assert all(segment.text for segment in parts)
    assert not any(pair in kinds for pair in ("kk", "dd", "ii", "id"))
