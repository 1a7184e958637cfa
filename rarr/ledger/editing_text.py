"""Puts proposed edits into the text, several at once on different sentences, and keeps places and checks."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rarr.backends.rules.whole_sentence_agreement import is_about_statement
from rarr.ledger.edit_gate import Decision
from rarr.ledger.sentence_support import moved_place, moved_queries
from rarr.records import Change, Check, Edit, Notice, Query
from rarr.state import State, named
from rarr.tools.text.blocks_and_sentences import Span, sentences


class Proposal(NamedTuple):
    """A change that an editor proposed for the current text, with the decision of the gate about it."""

    change: Change
    query_id: str
    evidence_id: str
    decision: Decision
    reason: str
    confidence: float | None = None


class EditingText:
    """Holds the current text, its edits and its queries while the node `edit` runs, and applies proposals.

    `queries` have their places in `text`. `touched` are the ids of queries about a sentence that changed.
    """

    def __init__(self, state: State) -> None:
        self.text = state["text"]
        self.edits = list(state.get("edits", []))
        self.tried = list(state.get("tried", []))
        self.touched: set[str] = set()
        self.warnings: list[Notice] = []
        self._checks = state["checks"]
        self._asked_again: list[Check] = []
        self._state = state
        self.queries = moved_queries(state["queries"], self.edits)

    def query(self, query_id: str) -> Query:
        """Returns the query with this id, with its place in the current text."""
        return next(query for query in self.queries if query.id == query_id)

    def independent(self, pending: Sequence[list[Check]]) -> list[list[Check]]:
        """Selects the queries that can be edited at the same time; `pending` has a list of checks for each.

        No edit has changed their sentences, and they share no sentence with an earlier query.
        """
        taken: set[Span] = set()
        chosen = []
        for asked in pending:
            about = self._about(self.query(asked[0].query_id))
            if asked[0].query_id not in self.touched and not about & taken:
                chosen.append(asked)
            taken |= about
        return chosen

    def apply(self, proposals: Sequence[Proposal]) -> set[str]:
        """Adds proposals for the current text to the edits, and puts the accepted edits into the text.

        Of suggested edits of the same words the first stays, and the others are refused. But an accepted edit
        stays in any case, and so does an edit about a whole sentence that covers the others. Skips a proposal
        whose sentence, or a neighbouring sentence, another proposal just changed. Returns the query ids of
        the skipped proposals.
        """
        base, left_out = self.queries, set[str]()
        done: list[tuple[int, int]] = []  # start in the text before, and growth
        changed: list[Span] = []
        for proposal in proposals:
            change, sentence, refusal = proposal.change, proposal.decision.sentence, proposal.decision.refusal
            if sentence is not None and any(_touches(sentence, span) for span in changed):
                left_out.add(proposal.query_id)
                continue
            shift = sum(grown for start, grown in done if start < change.start)
            start, end = change.start + shift, change.end + shift
            edit = Edit(
                id=named(self._state, "e", len(self.edits) + 1),
                start=start,
                end=end,
                old=self.text[start:end],
                new=change.new,
                query_id=proposal.query_id,
                evidence_id=proposal.evidence_id,
                state=proposal.decision.state,
                confidence=proposal.confidence,
                reason=refusal or proposal.decision.doubt or proposal.reason,
            )
            self._add(edit)
            if not edit.accepted or sentence is None:
                continue
            self._asked_again += proposal.decision.checks
            self.text = self.text[:start] + change.new + self.text[end:]
            self.queries = moved_queries(self.queries, [edit])
            done.append((change.start, len(change.new) - (end - start)))
            changed.append(sentence)
            self.touched |= {query.id for query in base if sentence.overlaps(Span(query.start, query.end))}
        return left_out

    def update(self, *, stale: Callable[[Check], bool]) -> State:
        """Builds the update of the state: the text, the edits, the warnings and the checks.

        Marks the checks for which `stale` is true as stale. Adds the checks that the gate asked again on the
        edited text.
        """
        checks = [
            check.model_copy(update={"stale": True}) if not check.stale and stale(check) else check
            for check in self._checks
        ]
        return {
            "text": self.text,
            "edits": self.edits,
            "tried": self.tried,
            "checks": [*checks, *self._asked_again],
            "warnings": self.warnings,
        }

    def _add(self, edit: Edit) -> None:
        """Adds an edit to the edits; refuses it or the suggested edits of the same words."""
        place = Span(edit.start, edit.end)
        rivals = self._suggested_at(place) if edit.state != "refused" else {}
        covers = all(place.start <= other.start and other.end <= place.end for other in rivals.values())
        stays = edit.accepted or (covers and is_about_statement(self.query(edit.query_id)))
        if rivals and not stays:
            first = next(other for other in self.edits if other.id in rivals)
            edit, rivals = _refused(edit, first), {}
        self.edits = [_refused(other, edit) if other.id in rivals else other for other in self.edits]
        self.edits.append(edit)

    def _suggested_at(self, place: Span) -> dict[str, Span]:
        """Returns the places in the text of the suggested edits that overlap `place`, by their ids."""
        found = {}
        for number, edit in enumerate(self.edits):
            later = [other for other in self.edits[number + 1 :] if other.accepted]
            moved = moved_place(Span(edit.start, edit.end), later)
            if edit.state == "suggested" and moved.overlaps(place):
                found[edit.id] = moved
        return found

    def _about(self, query: Query) -> set[Span]:
        place = Span(query.start, query.end)
        return {span for span in sentences(self.text) if span.overlaps(place)}


def _refused(edit: Edit, other: Edit) -> Edit:
    reason = f"{other.id} is {other.state} for these words"
    return edit.model_copy(update={"state": "refused", "reason": reason})


def _touches(span: Span, other: Span) -> bool:
    """Do the spans overlap or meet? Where they meet, an insertion could belong to either."""
    return span.start <= other.end and other.start <= span.end
