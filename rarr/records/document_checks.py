"""Declares the records of checking documents: what sources deny or do not confirm, and where it stands.

Lines and columns count from 1, columns in Unicode characters (code points). A line ends with a newline. They,
and `start` and `end`, point into the text of the file without a byte order mark.
"""

from typing import Literal

from rarr.records import PartState, Record, Status

FailOn = Literal["contradicted", "unconfirmed", "no_evidence"]
DocumentOutcome = Literal["judged", "partly_judged", "nothing_to_check", "not_judged"]


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
