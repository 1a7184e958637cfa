"""Reads the events of WikiGenBench and the web pages about them (Zhang et al. 2024)."""

from collections import defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from pathlib import Path

from pydantic import BaseModel

from rarr.errors import InputError
from rarr.evals.literature.benchmark_judging import digest
from rarr.evals.literature.source_rows import SourceRow, source_rows
from rarr.records import Passage, Record
from rarr.retrievers.corpus.chunking import chunks
from rarr.tools.text.section_headings import clean_headings

_LEAD = "summary"
_READ_AT = datetime(2024, 1, 1, tzinfo=UTC)


class EventSection(BaseModel):
    """A section of the reference article."""

    heading: str
    text: str


class EventRow(SourceRow):
    """An event with its reference article."""

    event_id: str
    title: str
    sections: tuple[EventSection, ...]


class DocumentRow(SourceRow):
    """A web page about an event."""

    event_id: str
    title: str
    url: str
    text: str
    is_wikipedia: bool


class WikigenEvent(Record):
    """An event to write about. `reference` is the article by people, `outline` its headings of prose."""

    id: str
    title: str
    outline: tuple[str, ...]
    reference: str
    documents: tuple[DocumentRow, ...]


def events_of(events: Path, documents: Path) -> list[WikigenEvent]:
    """Reads the events that have a page, without pages of Wikipedia, which would be copies of the reference.

    They have a random order that is always the same, so that the first events are a sample. Raises
    `InputError` for a missing file, a line of another form, and without an event that has a page.
    """
    pages = defaultdict[str, list[DocumentRow]](list)
    for row in source_rows(documents.parent, documents.name, DocumentRow):
        if not row.is_wikipedia:
            pages[row.event_id].append(row)
    found = [
        WikigenEvent(
            id=row.event_id,
            title=row.title,
            outline=tuple(_outline(row)),
            reference="\n\n".join(section.text for section in row.sections),
            documents=tuple(pages[row.event_id]),
        )
        for row in source_rows(events.parent, events.name, EventRow)
        if row.event_id in pages
    ]
    if not found:
        raise InputError(f"{documents} has no page of an event in {events}: give the files of one data set")
    return sorted(found, key=lambda event: digest(event.id))


def _outline(row: EventRow) -> Sequence[str]:
    headings = clean_headings([section.heading for section in row.sections], row.title)
    return [heading for heading in headings if heading.casefold() != _LEAD]


class EventPages:
    """A retriever that finds all passages of the pages of one event, so that the reranker alone chooses."""

    offline = True  # can be used with the setting `offline`

    def __init__(self, documents: Sequence[DocumentRow], words: int) -> None:
        """Cuts the pages into passages of at most `words` words."""
        self._passages = [
            Passage(
                text=page.text[start:end], source=page.url, title=page.title, start=start, end=end,
                retrieved_at=_READ_AT,
            )
            for page in documents
            for start, end in chunks(page.text, words)
        ]  # fmt: skip

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns all passages."""
        return self._passages
