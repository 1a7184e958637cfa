"""The text and its ledger while edits are made: several at once, on different sentences of one text."""

from collections.abc import Callable, Sequence
from typing import NamedTuple

from rarr.ledger.gate import Decision
from rarr.ledger.support import moved_queries
from rarr.records import Change, Check, Edit, Notice, Query
from rarr.state import State, named
from rarr.tools.text.document import Span, sentences


class Proposal(NamedTuple):
    """A change to the text that `EditingText` held when it was proposed, and what the gate decided."""

    change: Change
    query_id: str
    evidence_id: str
    decision: Decision
    reason: str
    confidence: float | None = None


class EditingText:
    """`queries` have their places in `text`; `touched` are those about a sentence that changed."""

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
        """The query, with its place in the text as it is."""
        return next(query for query in self.queries if query.id == query_id)

    def independent(self, pending: Sequence[list[Check]]) -> list[list[Check]]:
        """The pending queries that can be edited at once.

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
        """Puts proposals for the text as it is into the ledger, the accepted edits into the text as well.

        Skips a proposal whose sentence, or a neighbouring sentence, another proposal just changed.
        Returns the query ids of the skipped proposals.
        """
        base, left_out = self.queries, set[str]()
        done: list[tuple[int, int]] = []  # where in the text before, and by how much it grew
        changed: list[Span] = []
        for one in proposals:
            change, sentence, refusal = one.change, one.decision.sentence, one.decision.refusal
            if sentence is not None and any(_touches(sentence, span) for span in changed):
                left_out.add(one.query_id)
                continue
            shift = sum(grown for start, grown in done if start < change.start)
            start, end = change.start + shift, change.end + shift
            edit = Edit(
                id=named(self._state, "e", len(self.edits) + 1),
                start=start,
                end=end,
                old=self.text[start:end],
                new=change.new,
                query_id=one.query_id,
                evidence_id=one.evidence_id,
                state=one.decision.state,
                confidence=one.confidence,
                reason=refusal or one.decision.doubt or one.reason,
            )
            self.edits.append(edit)
            if not edit.accepted or sentence is None:
                continue
            self._asked_again += one.decision.checks
            self.text = self.text[:start] + change.new + self.text[end:]
            self.queries = moved_queries(self.queries, [edit])
            done.append((change.start, len(change.new) - (end - start)))
            changed.append(sentence)
            self.touched |= {query.id for query in base if sentence.overlaps(Span(query.start, query.end))}
        return left_out

    def update(self, *, stale: Callable[[Check], bool]) -> State:
        """What the node writes: the checks for which `stale` is true are marked, those of the gate are added.

        The checks that the gate asked again, on the edited text, take the place of theirs.
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

    def _about(self, query: Query) -> set[Span]:
        place = Span(query.start, query.end)
        return {span for span in sentences(self.text) if span.overlaps(place)}


def _touches(one: Span, other: Span) -> bool:
    """Do the spans overlap or meet? Where they meet, an insertion could belong to either."""
    return one.start <= other.end and other.start <= one.end
