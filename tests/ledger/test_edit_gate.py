"""The gate: what an edit may change, and how much. The paper's limits alone decide about its edits."""

from typing import Any

import pytest
from makers import check, state

from rarr.ledger.edit_gate import decided, out_of_bounds, sentence_of, with_card_edits
from rarr.records import Change
from rarr.records.card import Card, CardEdit
from rarr.settings import Settings
from rarr.tools.text.blocks_and_sentences import Span

TEXT = "The dam was opened in 1932. See `code`."
TABLE = "| Train | Leaves |\n|---|---|\n| The night train | 5 |\n"
PAPER = Settings(preset="paper")


def made(old: str, new: str, **fields: Any) -> tuple[str, str]:
    start = TEXT.index(old)
    change = Change(start=start, end=start + len(old), new=new)
    reason = check().model_copy(update={"reason": "they disagree"})
    edit = decided(TEXT, change, reason, state(TEXT, **fields), 0, PAPER)
    assert (edit.id, edit.old, edit.new) == ("e1", old, new)
    return edit.state, edit.reason


def test_edit_within_the_limits_is_accepted_with_the_reason_of_its_check() -> None:
    assert made("1932", "1936") == ("accepted", "they disagree")


@pytest.mark.parametrize(
    ("old", "new", "reason"),
    [
        ("1932", "x" * 60, "it changes 60 characters, over max_edit_chars (50)"),
        ("code", "more", "the change touches code, a link or a citation"),
        ("1932", "[1]", "the change adds a link, a citation, markup or a line"),
    ],
)
def test_edit_beyond_the_limits_is_refused(old: str, new: str, reason: str) -> None:
    assert made(old, new) == ("refused", reason)


def test_edit_of_the_lead_of_a_block_is_refused() -> None:
    assert made("1932", "1936", lead=27) == ("refused", "the change is not in this part of the text")


def of_a_card(text: str, old: str, new: str, lead: int = 0, **card: Any) -> tuple[str, str, bool]:
    """The state, reason and confirmation of the only edit of a card about the whole text."""
    start = text.index(old)
    edit = CardEdit(start=start, end=start + len(old), new=new, by=new, evidence_id="q1.1", confirmed=True)
    read = Card(**{"start": 0, "end": len(text), "verdict": "no", "edits": (edit,)} | card)
    place = Span(read.start, read.end)
    update = with_card_edits(state(text, cards=[read], lead=lead), {place: "q1"}, Settings())
    [one] = update["edits"]
    assert update["text"] == (text.replace(old, new) if one.accepted else text)
    return one.state, one.reason, one.confirmed


LONG = "The old mill at the river burned down in a winter night of the year 1932."


@pytest.mark.parametrize(
    ("text", "old", "new", "state", "card"),
    [
        ("It opened in 1932.", "1932", "1936", "accepted", {}),
        ("He said “it opened in 1932” there.", "1932", "1936", "suggested", {}),
        ("See `code` of 1932.", "code", "line", "refused", {"verdict": "mixed", "side": "for"}),
        (LONG, LONG[:60], "x", "suggested", {}),
        ("It opened in 1932.", "1932", "1936", "suggested", {"doubts": ("why",)}),
        ("It opened in 1932.", "1932", "1936", "suggested", {"verdict": "mixed"}),
        ("It opened in 1932.", "1932", "1936", "accepted", {"verdict": "mixed", "side": "against"}),
        ("See `x 1932` now.", "1932", "1936", "refused", {}),
        ("It opened in 1932.", "It opened in 1932.", "", "refused", {}),
    ],
)
def test_edit_of_a_card(text: str, old: str, new: str, state: str, card: dict[str, Any]) -> None:
    assert of_a_card(text, old, new, **card)[0] == state


def test_edits_that_delete_a_sentence_together_are_refused() -> None:
    text = "Ann sang."
    edits = [
        CardEdit(start=start, end=end, new="", by="x", evidence_id="q1.1") for start, end in ((0, 4), (4, 9))
    ]
    read = Card(start=0, end=len(text), verdict="no", edits=tuple(edits))
    update = with_card_edits(state(text, cards=[read]), {Span(0, len(text)): "q1"}, Settings())
    assert (update["text"], [edit.state for edit in update["edits"]]) == (text, ["refused", "refused"])


def test_edit_of_a_card_before_the_block_is_refused() -> None:
    assert of_a_card("It opened in 1932.", "1932", "1936", lead=18)[0] == "refused"


@pytest.mark.parametrize(
    ("card", "confirmed"),
    [({}, True), ({"doubts": ("why",)}, False), ({"open": ({"start": 0, "end": 2},)}, False)],
)
def test_edit_is_confirmed_where_nothing_else_is_doubted_or_open(
    card: dict[str, Any], confirmed: bool
) -> None:
    assert of_a_card("He said “it opened in 1932” there.", "1932", "1936", **card)[2] is confirmed


def refusal(text: str, old: str, new: str, settings: Settings | None = None) -> str:
    settings = settings or Settings()
    start = text.index(old)
    change = Change(start=start, end=start + len(old), new=new)
    sentence = sentence_of(text, change, across=settings.scope == "text")
    return out_of_bounds(text, sentence, change, settings)


def test_a_whole_cell_may_change_since_its_row_counts() -> None:
    assert refusal(TABLE, "5", "7") == ""


@pytest.mark.parametrize("new", ["5 | 6", "5|"])
def test_an_edit_adds_no_cell(new: str) -> None:
    assert refusal(TABLE, "5", new) == "the change adds a cell or a line"


@pytest.mark.parametrize("old", ["The night train", "Leaves", "train | 5", "---"])
def test_text_outside_the_cells_is_not_edited(old: str) -> None:
    assert refusal(TABLE, old, "x") == "the change does not lie within one sentence"


def test_paper_edits_over_the_end_of_a_sentence_and_the_default_does_not() -> None:
    text = "It was written by A. Lunde. B. Holm helped, and C. Reis drew it. It sold well for many years.\n"
    change = (text, "A. Lunde. B. Holm helped", "B. Holm. A. Lunde helped")
    assert refusal(*change, PAPER) == ""
    assert refusal(*change) == "the change does not lie within one sentence"


def test_paper_allows_50_characters_or_half_of_the_text() -> None:
    text = "Oru is deep. " + "It is old. " * 8  # 101 characters
    assert refusal(text, "Oru is deep", "x" * 49, PAPER) == ""
    assert "over max_edit_chars (50)" in refusal(text, "Oru is deep", "x" * 51, PAPER)
    assert refusal(text, "Oru is deep", "x" * 49).endswith("of the sentence")
    short = "Oru is deep. It is old."  # 23 characters
    assert refusal(short, "Oru is", "xxxxxxxxxxx", PAPER) == ""  # 11 of 23
    assert refusal(short, "Oru is", "x" * 12, PAPER).endswith("(0.5) of the text")


@pytest.mark.parametrize(
    ("text", "old"),
    [
        ("It is old.\n\n```\nx = 1\n```\n\nIt is red.\n", "old.\n\n```\nx = 1\n```\n\nIt"),
        (f"It is old.\n\n{TABLE}\nIt is red.\n", "5 |\n\nIt"),
        ("It is old.\n\n# Red\n\nIt is red.\n", "Red\n\nIt"),
        ("It is old [3]. It is red.\n", "old [3]. It"),
    ],
    ids=["code", "table", "heading", "citation"],
)
def test_paper_edits_neither_code_nor_tables_nor_headings_nor_citations(text: str, old: str) -> None:
    assert refusal(text, old, "new", PAPER) != ""
