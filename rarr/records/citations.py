"""Declares the records of texts with citations: cited texts, articles and answers.

A cited text has new citations, and checks of the citations that it had before. An article has sections and
sentences. An answer has statements, and each statement has the triples or passages that support it.
"""

from collections.abc import Iterable
from typing import Literal, Self

from pydantic import model_validator

from rarr.records import Evidence, Notice, Passage, Record, Revision, Status, Usage

CitationState = Literal["supported", "not_supported", "source_not_found", "unjudged"]
SectionState = Literal["written", "no_source", "failed"]
"""`no_source`: no passage was found for the section. `failed`: a search or a model failed."""
NO_SUPPORT = "[NA]"
"""The mark after a statement that no source supports, as in KaLMA (Li et al. 2023)."""


class CitedSource(Record):
    """An entry of the source list at the end of a text with citations.

    `number` is the number in the citation marks of this source, such as 2 for `[2]`.
    """

    number: int
    source: str
    title: str = ""


class Mark(Record):
    """A mark that was inserted into a text to tell about a sentence, such as `[citation needed]`.

    `at` is the offset in the original text where the mark was inserted. In the new text, the mark is at
    `start` to `end`. The sentence is at `sentence_start` to `sentence_end` of the original text.
    """

    at: int
    start: int
    end: int
    sentence_start: int
    sentence_end: int


class Citation(Mark):
    """A citation mark for a passage that supports a sentence. Passages of one source have the same mark."""

    number: int
    passage: Evidence


def text_without_marks(text: str, marks: Iterable[Mark]) -> str:
    """Returns `text` without the words at the places of `marks`."""
    for start, end in sorted({(mark.start, mark.end) for mark in marks}, reverse=True):
        text = text[:start] + text[end:]
    return text


class CitationCheck(Record):
    """The check of a citation that the original text has at `start` to `end`.

    `target` is an entry in the text's own list of sources, an address, or "" for a number without an entry.
    `passage` is the passage of the source that supports the sentence most. The `state` is one of these:

    - `supported`: the source supports the sentence, alone or with other sources that the sentence cites.
    - `not_supported`: passages of the source were read, and do not support the sentence.
    - `source_not_found`: no source that can be searched has this name.
    - `unjudged`: the source supports only a part of the sentence, is suspicious, or could not be judged.
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
    """A text with citations, and no other changes.

    The list of `sources` is the end of `text`, from `list_start` on. `existing` are the checks of citations
    that the text had before. `unsupported` are the marks after sentences without a citation. `research` is a
    revision without edits. It has the passages, the status of each sentence, the usage and the warnings.
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
        """Returns the text without what `cite` put in: citations, marks and list. This is the original."""
        return text_without_marks(self.text[: self.list_start], (*self.citations, *self.unsupported))


class OutlineSection(Record):
    """A section in the outline of an article. Its passages are the evidence of the query `query_id`."""

    id: str
    heading: str
    query_id: str


class WrittenCitation(Record):
    """A citation in the text of the writer. `evidence_id` is "" if the number `label` names no passage.

    `entails` tells whether the passage alone supports the sentence. None: it could not be judged.
    """

    label: str
    evidence_id: str = ""
    entails: bool | None = None


class WrittenSentence(Record):
    """A sentence of an article, at `start` to `end` of the article without marks.

    `written` are the citations of the writer. `evidence_ids` are the citations after the check: passages that
    together support the sentence. `status` is `supported`, `contradicted`, `unconfirmed` or `unjudged`.
    """

    section_id: str
    start: int
    end: int
    written: tuple[WrittenCitation, ...] = ()
    evidence_ids: tuple[str, ...] = ()
    status: Status = "unjudged"


class CitationScores(Record):
    """The citation measures of WikiGenBench, from 0 to 1. A measure is None if nothing could be judged.

    `recall`: the share of sentences that at least one citation supports. `precision`: the mean over sentences
    of the share of citations that support the sentence. `rate`: the share of words in supported sentences.
    """

    recall: float | None = None
    precision: float | None = None
    rate: float | None = None
    sentences: int = 0
    unjudged: int = 0


class ArticleSection(Record):
    """A section of an article, at `start` to `end` of the article without marks.

    `reason` tells why the section was not written. `reason` is "" for a written section.
    """

    id: str
    heading: str
    state: SectionState
    start: int
    end: int
    reason: str = ""


class Article(Record):
    """An article in Markdown (`text`), in which each supported sentence has a footnote.

    `citations` has the place of each mark in `text`, and its passage. `unsupported` has the places of the
    marks `[citation needed]`. `as_written` scores the citations of the writer, `checked` those in `text`.
    `research.original` is the article as written, without marks. `research.text` is the article after edits.
    Places of sections and sentences are in `research.text`. `words` counts the words of all sentences.
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
        """The warnings about problems that did not end the run."""
        return self.research.warnings


class CitedTriple(Record):
    """A triple (fact) of a graph, with names and ids. If the value has no own id, `value_id` is `value`."""

    subject_id: str
    subject: str
    relation: str
    value_id: str
    value: str


class AnswerSource(Record):
    """A passage that an answer cites by `number`. `triple`: its fact; None if no graph has the passage."""

    number: int
    passage: Passage
    triple: CitedTriple | None = None


class CitedStatement(Record):
    """A statement as a model wrote it, with the numbers of the sources that it cites.

    `needs_support` is True if the model says that no source supports the statement.
    """

    text: str
    citations: tuple[int, ...] = ()
    needs_support: bool = False


class Statement(Record):
    """A statement of an answer, at `start` to `end` of its text. `citations` are the numbers of its sources.

    `needs_support` is True if no source supports the statement. Then it has no citations. The `status` is
    `supported`, or one of these:

    - `contradicted`: a source contradicts the statement.
    - `unconfirmed`: the sources do not support the statement.
    - `unjudged`: the statement was not judged, or states nothing.

    `refused` has the reasons why citations of the model were removed. `written` counts the citations before
    the check. `existing` counts the citations before the check whose number belongs to a source.
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
    """An answer to a question. `text` is the answer without citation marks; `sources` are the cited sources.

    `run_id` is the id of the run and of its trace.
    """

    question: str
    text: str
    statements: tuple[Statement, ...] = ()
    sources: tuple[AnswerSource, ...] = ()
    usage: Usage = Usage()
    warnings: tuple[Notice, ...] = ()
    run_id: str = ""

    def render(self) -> str:
        """Returns the answer with its citations, and with `[NA]` after statements that lack support.

        A citation names facts of a graph (`[Q7186, place of birth: Warsaw]`), or the source of a passage.
        """
        pieces, position = list[str](), 0
        for statement in self.statements:
            pieces += [self.text[position : statement.end], self._citation_marks(statement)]
            position = statement.end
        return "".join([*pieces, self.text[position:]])

    def _citation_marks(self, statement: Statement) -> str:
        by_entity = dict[str, list[str]]()
        for source in self.sources:
            if source.number in statement.citations:
                head = source.triple.subject_id if source.triple else source.passage.source
                said = [f"{source.triple.relation}: {source.triple.value}"] if source.triple else []
                by_entity.setdefault(head, []).extend(said)
        marks = "".join(f" [{', '.join([head, *words])}]" for head, words in by_entity.items())
        return marks + f" {NO_SUPPORT}" * statement.needs_support
