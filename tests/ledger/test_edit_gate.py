"""The gate of the paper's edits: the limits of the settings alone decide."""

from typing import Any

import pytest
from makers import state

from rarr.ledger.edit_gate import Proposal, decided
from rarr.records import Change
from rarr.settings import Settings

TEXT = "The dam was opened in 1932. See `code`."
PAPER = Settings(preset="paper")


def made(old: str, new: str, **fields: Any) -> tuple[str, str]:
    start = TEXT.index(old)
    change = Change(start=start, end=start + len(old), new=new)
    proposal = Proposal(change, "q1", "q1.1", "they disagree")
    edit = decided(TEXT, proposal, state(TEXT, **fields), 0, PAPER)
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
