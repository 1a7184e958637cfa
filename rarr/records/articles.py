"""Declares the records of writing: the plan of an article, its drafts, its sentences and the article."""

from typing import Literal

from rarr.records import Notice, Record, Revision, Status, Usage
from rarr.records.citations import Citation, CitedSource, Mark

SectionState = Literal["written", "no_source", "failed"]
"""`no_source`: no passage was found for the section. `failed`: a search or a model failed."""


class PlannedSection(Record):
    """A section of the plan. Its passages are the evidence of the query `query_id`."""

    id: str
    heading: str
    query_id: str


class WrittenCitation(Record):
    """A citation as the writer put it. `evidence_id` is empty for a number that stands for no passage.

    `entails`: the passage supports the sentence by itself; None: that could not be judged.
    """

    label: str
    evidence_id: str = ""
    entails: bool | None = None


class WrittenSentence(Record):
    """A sentence of an article, at `start` to `end` of the article without marks.

    `written` are the citations of the writer. `evidence_ids` are the passages that are cited after the check:
    only together they need to support it. `status` is `supported`, `contradicted`, `unconfirmed` or
    `unjudged`.
    """

    section_id: str
    start: int
    end: int
    written: tuple[WrittenCitation, ...] = ()
    evidence_ids: tuple[str, ...] = ()
    status: Status = "unjudged"


class CitationScores(Record):
    """The citation measures of WikiGenBench, from 0 to 1; None where nothing could be judged.

    `recall` is the share of sentences that one of their citations supports, `precision` the mean share of
    citations that support their sentence, and `rate` the recall weighted by words.
    """

    recall: float | None = None
    precision: float | None = None
    rate: float | None = None
    sentences: int = 0
    unjudged: int = 0


class ArticleSection(Record):
    """A section of an article, at `start` to `end` of the article without marks. `reason` tells of a gap."""

    id: str
    heading: str
    state: SectionState
    start: int
    end: int
    reason: str = ""


class Article(Record):
    """An article in Markdown, in which each supported sentence has a footnote.

    `citations` is the ledger: the place of each mark in `text`, and its passage with source and offsets.
    `unsupported` are the places of the marks `[citation needed]`. `as_written`
    scores the citations of the writer, `checked` those of `text`; both by the verifier of the run.
    `research.original` is the article as written, without marks, and `research.text` the same after its
    edits: the places of sections and sentences, and `sentence_start`, point into it. `words` counts the words
    of its sentences.
    """

    run_id: str
    topic: str
    text: str
    sections: tuple[ArticleSection, ...] = ()
    sentences: tuple[WrittenSentence, ...] = ()
    citations: tuple[Citation, ...] = ()
    unsupported: tuple[Mark, ...] = ()
    sources: tuple[CitedSource, ...] = ()
    as_written: CitationScores = CitationScores()
    checked: CitationScores = CitationScores()
    words: int = 0
    research: Revision

    @property
    def usage(self) -> Usage:
        """The usage of the run."""
        return self.research.usage

    @property
    def warnings(self) -> tuple[Notice, ...]:
        """Everything that went wrong and was survived."""
        return self.research.warnings
