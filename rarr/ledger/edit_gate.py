"""The gate of the paper's edits: keeps the limits, and refuses what no text may get from a model.

As published, the verdict of the model decides, and nothing is asked after an edit (Gao et al. 2023, section
3.3). The edits of cards have their gate in `card_edits`.
"""

from typing import NamedTuple

from rarr.ledger.edit_limits import out_of_bounds, sentence_of
from rarr.records import Change, Edit
from rarr.settings import Settings
from rarr.state import State, named
from rarr.tools.text.blocks_and_sentences import Span


class Proposal(NamedTuple):
    """A change that an editor proposed for the current text, for a query and by an evidence."""

    change: Change
    query_id: str
    evidence_id: str
    reason: str


def decided(text: str, proposal: Proposal, state: State, edits: int, settings: Settings) -> Edit:
    """Makes the record of an edit, accepted or refused; `edits` is the number of edits before it."""
    change = proposal.change
    sentence = sentence_of(text, change, across=settings.scope == "text")
    refusal = out_of_bounds(text, sentence, change, settings)
    if change.start < state.get("lead", 0):
        refusal = refusal or "the change is not in this part of the text"
    return Edit(
        id=named(state, "e", edits + 1),
        start=change.start,
        end=change.end,
        old=Span(change.start, change.end).of(text),
        new=change.new,
        query_id=proposal.query_id,
        evidence_id=proposal.evidence_id,
        state="refused" if refusal else "accepted",
        reason=refusal or proposal.reason,
    )
