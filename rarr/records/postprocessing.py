"""Declares the records of postprocessing the answer of a model, and of checking documents.

In checked documents, lines and columns count from 1, columns in Unicode characters (code points). A line ends
with a newline. They, and `start` and `end`, point into the text of the file without a byte order mark.
"""

from typing import Literal, Self

from pydantic import model_validator

from rarr.records import PartState, Record, Revision, Status
from rarr.records.citations import CitationCheck, Mark, unmarked

PostprocessMode = Literal["revise", "cite", "check", "annotate"]
"""The change to the answer: corrections, citations, none, or marks behind what is not confirmed."""
Outcome = Literal["finished", "partial", "nothing_to_check", "deadline", "failed"]
Doubt = Literal["contradicted", "not confirmed"]
FailOn = Literal["contradicted", "unconfirmed", "no_evidence"]
DocumentOutcome = Literal["judged", "partly_judged", "nothing_to_check", "not_judged"]


class AnswerCitation(Record):
    """A passage that supports a place of the text: `start` to `end` of `Postprocessed.text`.

    The place is a sentence that the passage supports; in the mode `cite`, it is the mark behind the sentence.
    `evidence_id` is the passage's id in `Postprocessed.revision`.
    """

    start: int
    end: int
    source: str
    title: str = ""
    evidence_id: str


class DoubtMark(Mark):
    """A mark about a sentence or a cell of a table that evidence contradicts or does not confirm."""

    kind: Doubt


class Postprocessed(Record):
    """The answer of a model after postprocessing: `text` is what to send out.

    `notice` tells a user in one line what was done, or why nothing was done. The `outcome` is one of these:

    - `finished`: all of the answer was judged, as far as a question asks about it.
    - `partial`: some of the answer was not judged, because a search or a judgement failed or a limit was
      reached; the notice counts it, and the text has the changes to the rest.
    - `nothing_to_check`: the answer holds nothing that can be checked.
    - `deadline`: the deadline came first, and the text is the original.
    - `failed`: nothing could be judged, and the text is the original; the notice says why.

    `revision` is the run; None if there is none, as after a deadline. It has edits only in the mode `revise`.
    `citations` are the passages behind the supported sentences, `existing` (only in the mode `cite`) the
    checks of citations that the answer had, and `marks` (only in the mode `annotate`) the marks about doubts.
    """

    text: str
    original: str
    changed: bool
    mode: PostprocessMode
    outcome: Outcome
    notice: str
    revision: Revision | None = None
    citations: tuple[AnswerCitation, ...] = ()
    existing: tuple[CitationCheck, ...] = ()
    marks: tuple[DoubtMark, ...] = ()

    @model_validator(mode="after")
    def _is_sound(self) -> Self:
        if self.changed != (self.text != self.original):
            raise ValueError("changed does not tell whether the text is the original")
        if self.changed and (self.mode == "check" or self.outcome in ("deadline", "failed")):
            raise ValueError("the text must be the original")
        if self.mode == "annotate" and self.without_marks() != self.original:
            raise ValueError("the text without its marks is not the original")
        return self

    def without_marks(self) -> str:
        """Returns the text without the marks about doubts; in the mode `annotate`, exactly the original."""
        return unmarked(self.text, self.marks)


class DoubtfulPart(Record):
    """Words of a sentence that differ from a source or are open. `says`: the words of the source instead."""

    words: str
    state: PartState
    says: str = ""


class SourceQuote(Record):
    """A sentence of a source beside a doubtful sentence, at `start` to `end` of the extracted source text."""

    quote: str
    source: str
    title: str = ""
    start: int
    end: int


class Finding(Record):
    """A sentence that sources contradict or do not confirm, or that could not be judged.

    Its place is from its first character to the one behind its last. `fails`: by its status, the check of the
    documents fails.
    """

    status: Status
    fails: bool
    text: str
    start: int
    end: int
    line: int
    column: int
    end_line: int
    end_column: int
    parts: tuple[DoubtfulPart, ...] = ()
    quotes: tuple[SourceQuote, ...] = ()


class CheckedDocument(Record):
    """What was found in one file.

    - `judged`: every sentence with something to check was judged.
    - `partly_judged`: some sentences were not, because a search or a judgement failed, a limit was reached,
      or nobody reads their language or their table.
    - `nothing_to_check`: the file holds nothing that can be checked.
    - `not_judged`: the file could not be read, or nothing in it could be judged.

    `notice` counts the sentences, or says why they were not judged.
    """

    file: str
    outcome: DocumentOutcome
    notice: str
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def failing(self) -> tuple[Finding, ...]:
        """The findings by which the check fails."""
        return tuple(finding for finding in self.findings if finding.fails)

    @property
    def unjudged(self) -> bool:
        """True if the file, or a sentence of it, could not be judged."""
        return self.outcome in ("partly_judged", "not_judged")


class DocumentChecks(Record):
    """The result of checking documents. `fail_on` are the statuses by which a sentence fails.

    `failing` counts sentences. `unjudged` counts files that could not be judged, or not completely.
    `warnings` are about the sources and settings; those about a document are in `documents`.
    """

    fail_on: tuple[FailOn, ...]
    failing: int
    unjudged: int
    documents: tuple[CheckedDocument, ...]
    warnings: tuple[str, ...] = ()
