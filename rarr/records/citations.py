"""Declares the records of citing: the new citations of a text, and the checks of those that it had."""

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import model_validator

from rarr.records import Evidence, Record, Revision

CitationState = Literal["supported", "not_supported", "source_not_found", "unjudged"]


class CitedSource(Record):
    """A source of the list at the end of a cited text, with the number that its marks show."""

    number: int
    source: str
    title: str = ""


class Mark(Record):
    """A mark about a sentence, such as `[citation needed]`.

    `at` is its place in the original, and `start` to `end` that in the new text. The sentence stands at
    `sentence_start` to `sentence_end` of the original.
    """

    at: int
    start: int
    end: int
    sentence_start: int
    sentence_end: int


class Citation(Mark):
    """A mark for the passage that supports its sentence; two passages of one source share a mark."""

    number: int
    passage: Evidence


def unmarked(text: str, marks: Iterable[Mark]) -> str:
    """Returns the text without these marks."""
    pieces, position = [], 0
    for start, end in sorted({(mark.start, mark.end) for mark in marks}):
        pieces.append(text[position:start])
        position = end
    return "".join((*pieces, text[position:]))


class CitationCheck(Record):
    """A citation that the text had before, at `start` to `end` of the original, and whether it is right.

    `target` is the entry of the text's own list, or the address; empty for a number without an entry.
    `supported`: the cited source supports the sentence, if need be together with the sentence's other cited
    sources. `not_supported`: passages of it were read, and do not. `source_not_found`: no source that can be
    searched has this name. `unjudged`: it supports a part of the sentence, the search or the judgement
    failed, or all passages of the source are suspicious, as a warning says.
    `passage` is the passage of the source that supports the sentence most.
    """

    text: str
    start: int
    end: int
    target: str
    sentence_start: int
    sentence_end: int
    state: CitationState
    passage: Evidence | None = None


class Cited(Record):
    """A text with citations, and with nothing else changed.

    The list of `sources` is the text from `list_start` to its end. `existing` are the citations that the text
    had before, and `unsupported` the marks about sentences without a citation. `research` is the run that
    found the passages: it has the status of each sentence, the usage and the warnings, and no edit.
    """

    original: str
    text: str
    citations: tuple[Citation, ...] = ()
    existing: tuple[CitationCheck, ...] = ()
    unsupported: tuple[Mark, ...] = ()
    sources: tuple[CitedSource, ...] = ()
    list_start: int
    research: Revision

    @model_validator(mode="after")
    def _nothing_else_changed(self) -> Self:
        if self.without_citations() != self.original:
            raise ValueError("the text without its new citations is not the original")
        return self

    def without_citations(self) -> str:
        """Returns the text without the new citations, marks and list: exactly the original."""
        return unmarked(self.text[: self.list_start], (*self.citations, *self.unsupported))
