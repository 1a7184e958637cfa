"""The door: whatever comes in is valid Unicode behind it, once and for all."""

import json
import sqlite3

from hypothesis import example, given, strategies as st

from rarr.records import Notice
from rarr.valid_unicode import valid

# All planes, both halves of pairs above all, and NUL.
HALVES = st.characters(categories=["Cs"])
SURROGATES = st.text(st.one_of(HALVES, st.characters(codec=None), st.just("\0")), max_size=30)


def expected(text: str) -> str:
    """The rule, character by character."""
    replaced, at = "", 0
    while at < len(text):
        character, after = text[at], text[at + 1 : at + 2]
        at += 1
        if "\ud800" <= character <= "\udbff" and "\udc00" <= after <= "\udfff":
            character = chr(0x10000 + ((ord(character) - 0xD800) << 10) + ord(after) - 0xDC00)
            at += 1
        replaced += "\ufffd" if character == "\0" or "\ud800" <= character <= "\udfff" else character
    return replaced


@given(SURROGATES)
@example("\ud83d\ude00")
@example("\ude00\ud83d")
@example("\ud83d\ud83d\ude00\ude00")
@example("\U0010ffff\udbff")
def test_pairs_are_joined_lone_halves_replaced_and_what_is_valid_stays(text: str) -> None:
    behind = valid(text)
    assert behind == expected(text) and valid(behind) is behind
    assert json.loads(json.dumps(behind, ensure_ascii=False).encode()) == behind
    assert sqlite3.connect(":memory:").execute("SELECT ?", (behind,)).fetchone() == (behind,)
    made = Notice(code=text, message=text, node="n", query_id=text)
    assert Notice.model_validate_json(made.model_dump_json()) == made


@given(st.dictionaries(SURROGATES, st.lists(SURROGATES, max_size=2), max_size=4))
def test_nested_strings_and_keys_are_repaired(value: dict[str, list[str]]) -> None:
    assert valid(value) == {expected(key): [expected(item) for item in items] for key, items in value.items()}
