"""Measures writing with citations on WikiGenBench (Zhang et al. 2024), by citations and shared words."""

from collections import defaultdict
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import replace
from datetime import UTC, datetime
from functools import partial
from itertools import product
from pathlib import Path

from pydantic import BaseModel, Field

from rarr.agent.wiring.components import wire
from rarr.agent.write import CHUNK_WORDS, Writer
from rarr.errors import InputError, SettingsError
from rarr.evals.benchmarks.bench import Bench, Options, Part, ScoreTable, sampled
from rarr.evals.metrics import Measured, mean, rouge_l
from rarr.evals.rows import Row, Text, read_rows
from rarr.evals.run_folder import FinishedLine, Pairs, Worker
from rarr.records import Passage
from rarr.records.articles import Article, CitationScores
from rarr.retrievers.corpus.chunking import chunks
from rarr.settings import EMBEDDED, Settings
from rarr.tools.concurrency import work
from rarr.tools.text.wording import is_failure

SYSTEMS = ("prr", "extractive")  # each section is written alone; the second without a language model


class DocumentRow(Row):
    """A web page about an event."""

    event_id: str
    title: str = ""
    url: str
    text: str
    is_wikipedia: bool


class EventSection(BaseModel):
    """A section of the reference article."""

    text: str


class EventRow(Row):
    """An event to write about, with its reference article by people, and its pages."""

    id: Text = Field(validation_alias="event_id")
    title: str
    sections: tuple[EventSection, ...]
    documents: tuple[DocumentRow, ...] = ()

    @property
    def reference(self) -> str:
        """The text of the article by people."""
        return "\n\n".join(section.text for section in self.sections)


class ArticleLine(FinishedLine):
    """The article about an event with its scores. An article without a sentence has no citation scores."""

    text: str = ""
    words: int = 0
    seconds: float = 0.0
    as_written: CitationScores | None = None
    checked: CitationScores | None = None
    rouge_l: float | None = None


def wikigen(events: Path, documents: Path, settings: Settings, options: Options) -> Bench:
    """Reads the events, each with its pages, for each system. Raises `RarrError` before anything is spent."""
    rows = events_of(events, documents)
    chosen = rows[: options.limit]
    parts = dict[str, Part]()
    for system in options.judges or ("extractive",):
        if system not in SYSTEMS:
            raise InputError(f"system {system!r} is unknown: give {', '.join(SYSTEMS)}")
        if system != "extractive" and settings.model in EMBEDDED:
            raise SettingsError(f"system {system} needs a language model: name it with model (--model)")
        model = "embedded" if system == "extractive" else settings.model
        own = settings.model_copy(update={"trace": False, "search": EventPages(()), "model": model})
        parts[system] = Part(rows, ArticleLine, partial(_writer, own), chosen)
    return Bench("wikigen", "WikiGenBench", {"events": len(rows)}, parts, tables)


def events_of(events: Path, documents: Path) -> list[EventRow]:
    """Reads the events that have a page; pages of Wikipedia would be copies of the reference.

    Raises `InputError` for a missing file, a wrong line, and without such an event.
    """
    pages = defaultdict[str, list[DocumentRow]](list)
    for page in read_rows(documents, DocumentRow):
        if not page.is_wikipedia:
            pages[page.event_id].append(page)
    rows = [row for row in read_rows(events, EventRow) if row.id in pages]
    found = [row.model_copy(update={"documents": tuple(pages[row.id])}) for row in rows]
    if not found:
        raise InputError(f"{documents} has no page of an event in {events}: give the files of one data set")
    return sampled(found)


class EventPages:
    """A retriever that finds all passages of the pages of one event, so that the reranker alone chooses."""

    offline = True  # can be used with the setting `offline`

    def __init__(self, documents: Sequence[DocumentRow], words: int = CHUNK_WORDS) -> None:
        """Cuts the pages into passages of at most `words` words."""
        self._passages = [
            Passage(
                text=page.text[start:end], source=page.url, title=page.title, start=start, end=end,
                retrieved_at=datetime(2024, 1, 1, tzinfo=UTC),
            )
            for page in documents
            for start, end in chunks(page.text, words)
        ]  # fmt: skip

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        """Returns all passages."""
        return self._passages


def _writer(settings: Settings) -> Worker:
    made = wire(settings, measuring=True)

    async def line(event: EventRow) -> ArticleLine:
        pages = await work(EventPages, event.documents)
        article = await Writer(components=replace(made, retriever=pages)).awrite(event.title)
        failed = [each.message for each in article.warnings if is_failure(each)]
        if failed and not article.sentences:
            return ArticleLine(id=event.id, error=failed[0])
        return await work(scored, event, article)

    return Worker(line, (*made.models, *made.opened))


def scored(event: EventRow, article: Article) -> ArticleLine:
    """Scores an article by its citations, and by the words that it shares with the reference."""
    written = [each for each in article.sections if each.state == "written"]
    text = "\n\n".join(article.research.text[each.start : each.end] for each in written)
    return ArticleLine(
        id=event.id,
        text=article.text,
        words=article.words,
        seconds=article.usage.seconds,
        as_written=article.as_written if article.sentences else None,
        checked=article.checked if article.sentences else None,
        rouge_l=rouge_l(text, event.reference),
    )


def tables(parts: Mapping[str, Pairs]) -> Iterator[ScoreTable]:
    """Computes the means over articles, of the citations as written and as checked, without failed ones."""
    rows = defaultdict[str, dict[str, Measured]](dict)
    for system, pairs in parts.items():
        done = [line for _, line in pairs if not line.error]
        for how, name in product(("as_written", "checked"), ("recall", "precision", "rate")):
            scores = [getattr(line, how) for line in done]
            rows[f"{system}, {how.replace('_', ' ')}"][name] = mean(
                [it and getattr(it, name) for it in scores]
            )
        for name in ("rouge_l", "words", "seconds"):
            rows[f"{system}, as written"][name] = mean([getattr(line, name) for line in done])
    yield ScoreTable(title="means over articles; the verifier of the run judges citations", rows=rows)
