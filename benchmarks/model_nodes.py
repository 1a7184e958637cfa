"""Counts what each node does with planted errors: questions, readings, comparisons and edits."""

import re
from collections import defaultdict
from collections.abc import Mapping, Sequence

from benchmarks.answers import Mark
from benchmarks.report import share, table
from rarr import Revision
from rarr.backends.rules.answer_grounding import has_phrase, is_stated
from rarr.backends.rules.whole_sentence_agreement import is_about_statement
from rarr.records import Check, Evidence, Query
from rarr.tools.text.blocks_and_sentences import Span

_NEEDS_TEXT = re.compile(
    r"\b(?:it|its|he|his|him|she|hers?|they|their|them|this|that one|these|those)\b", re.IGNORECASE
)
MEASURES = {
    "asked": "questions: errors that a question is about",
    "alone": "questions about errors that stand alone (no pronoun)",
    "leaking": "questions about errors that hold the wrong words",
    "read": "readings: questions answered with the right words, where a passage has them",
    "silent": "readings: no answer, where the passage does not have the right words",
    "differs": "comparison: errors that the right words disagree with",
    "undisputed": "comparison: right sentences that nothing disagrees with",
    "accepted": "edits: accepted with the right words, where a check disagrees",
    "suggested": "edits: suggested with the right words, where a check disagrees",
}


class NodeCounts:
    """`cases` tells for each of `MEASURES` whether it holds in each case; `add` fills it."""

    def __init__(self) -> None:
        self.cases: Mapping[str, list[bool]] = defaultdict(list)

    def add(self, marks: Sequence[Mark], revision: Revision) -> None:
        """Counts the marked sentences in the revision of their text."""
        for mark in marks:
            place = _place(revision.original, mark)
            about = [
                query
                for query in revision.queries
                if query.round == 1 and place.overlaps(Span(query.start, query.end))
            ]
            checks = [check for check in revision.checks if check.query_id in {query.id for query in about}]
            if mark.wrong is None or mark.right is None:
                self.cases["undisputed"] += [all(check.verdict != "disagrees" for check in checks)]
            else:
                self._add_error(mark.wrong, mark.right, about, checks, revision)

    def printed(self) -> str:
        """Returns the table of all measures, with 95% Wilson intervals."""
        return table(["node", "share"], [[name, share(self.cases[key])] for key, name in MEASURES.items()])

    def _add_error(
        self, wrong: str, right: str, about: Sequence[Query], checks: Sequence[Check], revision: Revision
    ) -> None:
        known = {evidence.id: evidence for evidence in revision.evidence}
        self.cases["asked"] += [bool(about)]
        # A question whether a sentence is true holds its words, and has no short answer.
        questions = [query for query in about if not is_about_statement(query)]
        self.cases["alone"] += [not _NEEDS_TEXT.search(question.text) for question in questions]
        self.cases["leaking"] += [has_phrase(question.text, wrong) for question in questions]
        stating = [check for check in checks if _says(known.get(check.evidence_id), right)]
        exact = [check for check in stating if _is_stated(right, check.evidence_answer)]
        silent = [check for check in checks if check not in stating]
        told, read = ({check.query_id for check in group} for group in (stating, exact))
        self.cases["read"] += [question.id in read for question in questions if question.id in told]
        self.cases["silent"] += [not check.evidence_answer for check in silent]
        disagreeing = {check.query_id for check in exact if check.verdict == "disagrees"}
        self.cases["differs"] += [bool(disagreeing)] if exact else []
        if disagreeing:
            edits = [edit for edit in revision.edits if edit.query_id in disagreeing]
            states = {edit.state for edit in edits if _is_stated(right, edit.new)}
            self.cases["accepted"] += ["accepted" in states]
            self.cases["suggested"] += ["suggested" in states]


def _place(text: str, mark: Mark) -> Span:
    """Returns the place of the wrong words, or else of the sentence, in the text of the answer."""
    start = text.index(mark.sentence)
    if mark.wrong is None:
        return Span(start, start + len(mark.sentence))
    start += mark.sentence.index(mark.wrong)
    return Span(start, start + len(mark.wrong))


def _says(evidence: Evidence | None, words: str) -> bool:
    return evidence is not None and _is_stated(words, f"{evidence.title}\n{evidence.text}")


def _is_stated(words: str, text: str) -> bool:
    return bool(text) and (is_stated(words, text) or has_phrase(text, words))
