"""Holds the results of a run, and looks up the links between them, for the pages that show them."""

from collections import defaultdict
from collections.abc import Collection, Iterable, Mapping, Sequence
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

from rarr.errors import InputError
from rarr.ledger.sentence_support import moved_queries
from rarr.records import Check, Edit, Evidence, Notice, Query, Revision, Scores, Sentence, Status
from rarr.tools.text.blocks_and_sentences import Span
from rarr.views.marked_markdown import Marked, marked, with_status


@dataclass(frozen=True, kw_only=True)
class Results:
    """The results of a run. `revision` is None if the run did not come to its end.

    `decidable`: the reader of the page may accept and refuse suggested edits; `decided` has the ids of those
    about which the reader has decided. `citations` are the numbers of cited sources by the numbers of
    sentences, from 1; `cited_text` is the text with them.
    """

    original: str
    text: str
    queries: Sequence[Query]
    evidence: Sequence[Evidence]
    checks: Sequence[Check]
    edits: Sequence[Edit]
    sentences: Sequence[Sentence]
    warnings: Sequence[Notice]
    scores: Scores = field(default_factory=Scores)
    revision: Revision | None
    decidable: bool = False
    decided: Collection[str] = ()
    citations: Mapping[int, int] = field(default_factory=dict)
    cited_text: str = ""

    @property
    def about(self) -> Mapping[str, list[Any]]:
        """Groups by id the calls about a query or an evidence. Only a trace has them."""
        return defaultdict(list)

    def nodes_about(self, query: Query) -> list[str]:
        """Names the nodes that worked on a query or its evidence. Only a trace tells them."""
        return []

    def asked_in(self, edit: Edit) -> list[Any]:
        """Returns the questions to models from which an edit came. Only a trace has them."""
        return []

    @cached_property
    def evidence_of(self) -> dict[str, list[Evidence]]:
        """Groups the evidence by the id of its query."""
        evidence: dict[str, list[Evidence]] = defaultdict(list)
        for passage in self.evidence:
            evidence[passage.query_id].append(passage)
        return evidence

    @cached_property
    def evidence_by_id(self) -> dict[str, Evidence]:
        """Maps ids to evidence."""
        return {passage.id: passage for passage in self.evidence}

    @cached_property
    def checks_of(self) -> dict[str, list[Check]]:
        """Groups the checks by the id of their evidence, in the order in which they were made."""
        checks: dict[str, list[Check]] = defaultdict(list)
        for check in self.checks:
            checks[check.evidence_id].append(check)
        return checks

    @cached_property
    def sentences_of(self) -> dict[str, list[int]]:
        """Maps the id of each query to the numbers, from 1, of the revised sentences that it is about."""
        return {
            query.id: [
                n
                for n, sentence in enumerate(self.sentences, start=1)
                if Span(sentence.start, sentence.end).overlaps(
                    Span(query.start, max(query.end, query.start + 1))
                )
            ]
            for query in moved_queries(self.queries, self.edits)
        }

    def verdicts(self, evidence: Iterable[Evidence]) -> list[str]:
        """Returns the verdicts of the last checks of this evidence, each verdict once."""
        last = (
            self.checks_of[passage.id][-1].verdict for passage in evidence if self.checks_of.get(passage.id)
        )
        return list(dict.fromkeys(last))

    def edits_of(self, query: Query) -> list[Edit]:
        """Returns the edits that resulted from a query."""
        return [edit for edit in self.edits if edit.query_id == query.id]

    def edit(self, name: str) -> Edit | None:
        """Returns the edit with this id; None if there is none."""
        return next((edit for edit in self.edits if edit.id == name), None)

    @cached_property
    def marked(self) -> Marked:
        """Renders the text's Markdown, and marks its edits, sentences and deciding words."""
        return marked(self.original, self.edits, self.sentences)

    def with_status(self, *statuses: Status) -> list[tuple[int, Sentence]]:
        """Returns the sentences of these statuses with their numbers from 1, ordered by status."""
        return with_status(self.sentences, *statuses)

    def passages(self, sentence: Sentence, state: str = "") -> list[Evidence]:
        """Returns the evidence of a sentence and its parts; with a `state`, of its parts in this state."""
        parts = [part.evidence_id for part in sentence.parts if state in ("", part.state)]
        names = parts if state else [*sentence.evidence_ids, *parts]
        return [self.evidence_by_id[name] for name in dict.fromkeys(names) if name in self.evidence_by_id]

    def answers(self, edit: Edit) -> list[str]:
        """Returns the answers that the checks found in an edit's evidence, or else the edit's new words."""
        checks = self.checks_of.get(edit.evidence_id, [])
        return [check.evidence_answer for check in checks if check.evidence_answer] or [edit.new]

    def with_suggested(self, edit: Edit) -> Edit | None:
        """Returns the suggested edit as it would change the revised text; None if it no longer fits."""
        try:
            return self.revision.accept(edit.id).edits[-1] if self.revision else None
        except InputError:
            return None


def fields_of(revision: Revision) -> dict[str, Any]:
    """Returns the fields of `Results` that a revision has."""
    same = ("original", "text", "queries", "evidence", "checks", "edits", "warnings", "scores")
    sentences = revision.report.sentences
    return {name: getattr(revision, name) for name in same} | {"sentences": sentences, "revision": revision}
