"""Declares the records of postprocessed answers of a model, and of checked documents.

In checked documents, lines and columns count from 1, and columns count characters (code points). A line ends
with a newline. All places point into the text of the file without its byte order mark.
"""

from typing import Literal, Self

from pydantic import model_validator

from rarr.records import PartState, Record, Revision, Status
from rarr.records.cards_and_edits import Place
from rarr.records.citations import CitationCheck, Mark, text_without_marks

PostprocessMode = Literal["revise", "cite", "check", "annotate"]
"""revise: corrects the answer. cite: adds citations. check: changes nothing. annotate: marks doubts."""
Outcome = Literal["finished", "partial", "nothing_to_check", "deadline", "failed"]
Doubt = Literal["contradicted", "not confirmed"]
FailOn = Literal["contradicted", "unconfirmed", "no_evidence"]
DocumentOutcome = Literal["judged", "partly_judged", "nothing_to_check", "not_judged"]


class AnswerCitation(Place):
    """A passage that supports a sentence of the answer.

    `start` to `end` is the place of the sentence in `Postprocessed.text`. In the mode `cite`, it is the place
    of the citation mark after the sentence. `evidence_id` names the passage in `Postprocessed.revision`.
    """

    source: str
    title: str = ""
    evidence_id: str


class DoubtMark(Mark):
    """A mark after a sentence or table cell that evidence contradicts or does not confirm."""

    kind: Doubt


class Postprocessed(Record):
    """The answer of a model after postprocessing. `text` is the answer to send out.

    `notice` tells a user in one line what was done, or why nothing was done. The `outcome` is one of these:

    - `finished`: everything in the answer that can be checked was judged.
    - `partial`: some of the answer was not judged, because a search or a judgement failed or a limit was
      reached. The notice counts these sentences, and the text has the changes to the other sentences.
    - `nothing_to_check`: the answer states nothing that can be checked.
    - `deadline`: the deadline passed, and the text is the original.
    - `failed`: nothing could be judged, and the text is the original. The notice says why.

    `revision` is the result of the run. It has edits only in the mode `revise`. None: there is no result, for
    example after a deadline. `citations` are the passages for supported sentences. `existing` are the checks
    of citations that the answer had (mode `cite`). `marks` are after doubtful sentences (mode `annotate`).
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
        """Returns the text without `marks`. In the mode `annotate`, this is exactly the original."""
        return text_without_marks(self.text, self.marks)


class DoubtfulPart(Record):
    """Words of a sentence that no source confirms. `says`: the words of a source that differs; else ""."""

    words: str
    state: PartState
    says: str = ""


class SourceQuote(Record):
    """A quote from a source about a doubtful sentence, at `start` to `end` of the source's extracted text."""

    quote: str
    source: str
    title: str = ""
    start: int
    end: int


class Finding(Record):
    """A sentence of a document that sources contradict or do not confirm, or that could not be judged.

    `end` and `end_column` are after the last character of the sentence. `fails` tells whether the status of
    the sentence makes the check of the documents fail.
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
    """The result of checking one file. The `outcome` is one of these:

    - `judged`: every sentence with something to check was judged.
    - `partly_judged`: some sentences were not judged: a search or a judgement failed, a limit was reached, or
      the language or the table of a sentence cannot be read.
    - `nothing_to_check`: the file states nothing that can be checked.
    - `not_judged`: the file could not be read, or nothing in it could be judged.

    `notice` counts the sentences, or says why the sentences were not judged.
    """

    file: str
    outcome: DocumentOutcome
    notice: str
    findings: tuple[Finding, ...] = ()
    warnings: tuple[str, ...] = ()

    @property
    def failing_findings(self) -> tuple[Finding, ...]:
        """The findings that make the check fail."""
        return tuple(finding for finding in self.findings if finding.fails)

    @property
    def has_unjudged_text(self) -> bool:
        """True if the file, or a sentence of it, could not be judged."""
        return self.outcome in ("partly_judged", "not_judged")


class DocumentChecks(Record):
    """The result of checking documents. `fail_on` lists the statuses that make a sentence fail.

    `failing` counts sentences that fail. `unjudged` counts files with sentences that could not be judged.
    `warnings` are about sources and settings. Warnings about one document are in `documents`.
    """

    fail_on: tuple[FailOn, ...]
    failing: int
    unjudged: int
    documents: tuple[CheckedDocument, ...]
    warnings: tuple[str, ...] = ()
