"""Which ends of a text are a loop, and which only look like one."""

import json

import pytest

from rarr.tools.models.repetition import LONGEST_PIECE, repetition_in

QUESTION = '{"question": "When did the Golden Gate Bridge open?", "about": "1937"}, '


@pytest.mark.parametrize(
    ("text", "words"),
    [
        (QUESTION * 6, f"the same {len(QUESTION)} characters"),
        ('{"answer": "' + "the bridge, " * 30, "the same 12 characters"),
        ('{"answer": "' + "0" * 400, "the same 1 character"),
        ('{"answer": "1937"' + "\n \t" * 100, "white space"),
        ('{"answer": "1937"' + "\\n" * 150, "the same 2 characters"),
        ("x" * LONGEST_PIECE + "y", ""),
        ("大橋は" * 100, "the same 3 characters"),
    ],
)
def test_loop_is_named(text: str, words: str) -> None:
    assert repetition_in(text) == words


def test_loop_is_seen_however_its_last_piece_is_cut() -> None:
    text = "It says: " + QUESTION * 8
    assert all(repetition_in(text[: len(text) - cut]) for cut in range(len(QUESTION)))


@pytest.mark.parametrize(
    "text",
    [
        "",
        "1937",
        "-" * 80,
        "| --- " * 20 + "|",
        QUESTION * 3,
        json.dumps([{"question": f"When was mill {n} built?", "about": str(1800 + n)} for n in range(60)]),
        json.dumps([{"span": "", "revision": ""}] * 5, indent=4),
        "0" * 400 + " and then the text goes on.",
    ],
)
def test_other_texts_are_no_loop(text: str) -> None:
    assert repetition_in(text) == ""
