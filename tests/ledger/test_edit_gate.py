"""The gate limits what an edit may change, and how much. An edit of the paper has only its own limits."""

from typing import Any

import pytest
from hypothesis import given, strategies as st
from makers import VALID, check, edit as edit_of, query, state

from rarr.ledger.edit_gate import apply_card_edits, moved_queries, paper_refusal_reason
from rarr.nodes.edit import paper_edit
from rarr.records import Change
from rarr.records.cards_and_edits import Card, CardEdit
from rarr.tools.text.blocks_and_sentences import Span

TEXT = "The dam was opened in 1932. See `code`."
TABLE = "| Train | Leaves |\n|---|---|\n| The night train | 5 |\n"


def test_edit_of_the_lead_of_a_block_is_refused() -> None:
    made = paper_edit(state(TEXT, lead=27), Change(start=22, end=26, new="1936"), check())
    assert (made.id, made.old, made.new, made.state) == ("e1", "1932", "1936", "refused")
    assert made.reason == "the change is not in this part of the text"


def gate_of_card(text: str, old: str, new: str, **card: Any) -> tuple[str, bool]:
    """Returns the state of the only edit of a card about the whole text, and whether it is confirmed."""
    start = text.index(old)
    edit = CardEdit(start=start, end=start + len(old), new=new, by=new, evidence_id="q1.1", confirmed=True)
    read = Card(**{"start": 0, "end": len(text), "verdict": "no", "edits": (edit,)} | card)
    place = Span(read.start, read.end)
    update = apply_card_edits(state(text, cards=[read]), {place: "q1"})
    [one] = update["edits"]
    assert update["text"] == (text.replace(old, new) if one.accepted else text)
    return one.state, one.confirmed


LONG = "The old mill at the river burned down in a winter night of the year 1932."


@pytest.mark.parametrize(
    ("text", "old", "new", "state", "card", "confirmed"),
    [
        ("It opened in 1932.", "1932", "1936", "accepted", {}, True),
        ("He said “it opened in 1932” there.", "1932", "1936", "suggested", {}, True),
        ("See `code` of 1932.", "code", "line", "refused", {"verdict": "mixed", "side": "for"}, True),
        (LONG, LONG[:60], "x", "suggested", {}, True),
        ("It opened in 1932.", "1932", "1936", "suggested", {"doubts": ("why",)}, False),
        ("It opened in 1932.", "1932", "1936", "accepted", {"open": ({"start": 0, "end": 2},)}, False),
        ("It opened in 1932.", "1932", "1936", "suggested", {"verdict": "mixed"}, False),
        ("It opened in 1932.", "1932", "1936", "accepted", {"verdict": "mixed", "side": "against"}, True),
        ("See `x 1932` now.", "1932", "1936", "refused", {}, True),
        ("See [it](https://a.org/1932) now.", "1932", "1936", "refused", {}, True),
        ("It opened in 1932.", "It opened in 1932.", "", "refused", {}, True),
        ("It opened in 1932.", "1932", "<|im_end|> 1936", "refused", {}, True),
        ("It opened in 1932.", "1932", "``` 1936", "refused", {}, True),
    ],
)
def test_edit_of_a_card_is_confirmed_where_nothing_else_is_doubted_or_open(
    text: str, old: str, new: str, state: str, card: dict[str, Any], confirmed: bool
) -> None:
    assert gate_of_card(text, old, new, **card) == (state, confirmed)


def test_edits_that_delete_a_sentence_together_are_refused() -> None:
    facts: dict[str, Any] = {"new": "", "by": "x", "evidence_id": "q1.1"}
    edits = (CardEdit(start=0, end=4, **facts), CardEdit(start=4, end=9, **facts))
    read = Card(start=0, end=9, verdict="no", edits=edits)
    update = apply_card_edits(state("Ann sang.", cards=[read]), {Span(0, 9): "q1"})
    assert (update["text"], [edit.state for edit in update["edits"]]) == ("Ann sang.", ["refused"] * 2)


def refusal(text: str, old: str, new: str) -> str:
    start = text.index(old)
    change = Change(start=start, end=start + len(old), new=new)
    return paper_refusal_reason(text, change)


NAMES = "It was written by A. Lunde. B. Holm helped [3], and C. Reis drew it. It sold well for many years.\n"


def test_paper_refuses_only_what_exceeds_both_50_characters_and_half_of_the_text() -> None:
    text = "Oru is deep. " + "It is old. " * 8  # 101 characters
    assert refusal(text, "Oru is deep", "x" * 50) == ""
    assert refusal(text, "Oru is deep", "x" * 51) == "it changes 51 of 101 characters"
    assert refusal(text * 2, "Oru is deep", "x" * 90) == ""


@pytest.mark.parametrize(
    ("text", "old", "new", "is_refused"),
    [
        (TABLE, "5", "7", False),
        (TABLE, "The night train | 5", "The day train | 7", False),
        (NAMES, "A. Lunde. B. Holm helped", "B. Holm. A. Lunde helped", False),
        (NAMES, "A. Lunde. B. Holm helped [3]", "B. Holm. A. Lunde helped [3]", False),
        ("Is <br> old?", "<br> old", "<br> new", False),
        ("It is old.", "It is old.", " ", True),
        ("See `code`.", "code", "more", True),
        ("It is old [3]. It is red.\n", "old [3]. It", "new. It", True),
        ("It is old.", "old", "old [1]", True),
        ("It is old.", "old", "old [x](y)", True),
        ("It is old.\n\nIt is red.\n", "old.\n\nIt", "old. It", True),
        (TABLE, "5", "5 | 6", True),
        (TABLE, "---", "x", True),
        ("It is old.", "old", "old <|im_start|>", True),
        ("It is old.", "old", "old [INST]", True),
        ("It is old.", "old", "old <img src=x>", True),
        ("It is old.", "old", "at https://evil.example", True),
        ("It is old.", "old", "a@evil.example", True),
        ("It is old.", "old", "o\u200bld", True),
    ],
)
def test_paper_rewrites_no_marks_lines_or_cells(text: str, old: str, new: str, is_refused: bool) -> None:
    assert bool(refusal(text, old, new)) is is_refused


def test_query_that_a_change_overlaps_covers_all_of_it() -> None:
    queries = [query(0, 6), query(6, 7), query(7, 12), query(0, 12)]
    moved = moved_queries(queries, [edit_of(5, 8, "longer"), edit_of(0, 3, "", state="refused")])
    assert [(it.start, it.end) for it in moved] == [(0, 11), (5, 11), (5, 15), (0, 15)]


@given(st.data())
def test_query_that_no_edit_touches_keeps_its_words(data: st.DataObject) -> None:
    text, asked = "0123456789" * 3, query(10, 20)
    for _ in range(3):
        low, high = data.draw(st.sampled_from([(0, asked.start), (asked.end, len(text))]))
        start, end = sorted(data.draw(st.tuples(*[st.integers(low, high)] * 2)))
        change = edit_of(start, end, data.draw(st.text(VALID, max_size=6)))
        text = text[:start] + change.new + text[end:]
        [asked] = moved_queries([asked], [change])
        assert text[asked.start : asked.end] == "0123456789"
