"""Declares the records of texts with citations: cited texts, articles and answers.

A cited text has new citations, and checks of those that it had. An article has its plan, its drafts and its
sentences, and an answer its statements, each with the triples or passages on which it rests.
"""

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import model_validator

from rarr.records import Evidence, Notice, Passage, Record, Revision, Status, Usage

CitationState = Literal["supported", "not_supported", "source_not_found", "unjudged"]
SectionState = Literal["written", "no_source", "failed"]
"""`no_source`: no passage was found for the section. `failed`: a search or a model failed."""
NO_SUPPORT = "[NA]"
"""The mark behind a statement that needs support which the sources lack, as in KaLMA (Li et al. 2023)."""


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
    for start, end in sorted({(mark.start, mark.end) for mark in marks}, reverse=True):
        text = text[:start] + text[end:]
    return text


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


class CitedTriple(Record):
    """A triple of a graph, by names; `value_id` is the value itself where the value is no entity."""

    subject_id: str
    subject: str
    relation: str
    value_id: str
    value: str


class AnswerSource(Record):
    """A passage that the answer cites, by its number. `triple`: the triple that the passage says."""

    number: int
    passage: Passage
    triple: CitedTriple | None = None


class CitedStatement(Record):
    """A statement as it was written, with the numbers of the sources that it cites.

    `needs_support`: whoever wrote it knows no source of it.
    """

    text: str
    citations: tuple[int, ...] = ()
    needs_support: bool = False


class Statement(Record):
    """A statement of an answer, the text from `start` to `end`, with the numbers of its sources.

    `needs_support`: it says something that no source says, and cites none, even for the rest. Then its
    `status` is `contradicted` if a source says otherwise, `unjudged` if a sentence of it could not be judged
    or it tells that nobody judged the quotes, `no_evidence` if it names words of the question that no quote
    has, else `unconfirmed`. A statement that says nothing, such as "Here is what I found.", is `unjudged` and
    needs no support; so is a quote that may only be what others say. `refused` are the reasons why citations
    of a language model were taken away. `written` counts the citations before the check, and `existing` those
    of them whose source there is.
    """

    text: str
    start: int = 0
    end: int = 0
    status: Status = "unjudged"
    citations: tuple[int, ...] = ()
    needs_support: bool = False
    refused: tuple[str, ...] = ()
    written: int = 0
    existing: int = 0


class Answer(Record):
    """An answer in statements. `text` is the answer without marks; `sources` are those that it cites.

    `run_id` names the run, in its trace too.
    """

    question: str
    text: str
    statements: tuple[Statement, ...] = ()
    sources: tuple[AnswerSource, ...] = ()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()
    run_id: str = ""

    def render(self) -> str:
        """Writes the answer with its citations, and `[NA]` behind statements that lack support.

        A citation names triples, as `[Q7186, place of birth: Warsaw]`, or the source of a passage.
        """
        pieces, position = list[str](), 0
        for statement in self.statements:
            pieces += [self.text[position : statement.end], self._marks(statement)]
            position = statement.end
        return "".join([*pieces, self.text[position:]])

    def _marks(self, statement: Statement) -> str:
        by_entity = dict[str, list[str]]()
        for source in self.sources:
            if source.number in statement.citations:
                head = source.triple.subject_id if source.triple else source.passage.source
                said = [f"{source.triple.relation}: {source.triple.value}"] if source.triple else []
                by_entity.setdefault(head, []).extend(said)
        marks = "".join(f" [{', '.join([head, *words])}]" for head, words in by_entity.items())
        return marks + f" {NO_SUPPORT}" * statement.needs_support
