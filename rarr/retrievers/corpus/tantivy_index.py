"""Writes, searches and reads the passages of a corpus in a tantivy index."""

import json
from collections.abc import Sequence
from datetime import datetime
from pathlib import Path
from typing import NamedTuple

from tantivy import (
    DocAddress,
    Document as Row,
    Index,
    IndexWriter,
    Occur,
    Query,
    Schema,
    SchemaBuilder,
    Searcher,
)

from rarr.retrievers.corpus.chunking import Line, Window
from rarr.retrievers.corpus.index_words import ANALYZER, composed, stemming
from rarr.retrievers.extract.extracted_document import Document

HEAP = 200_000_000
"""Bytes that the writer holds before it writes a segment."""

_THREADS = 2
_TITLE_BOOST = 1.2  # a title tells the topic of the whole document


class Hit(NamedTuple):
    """A passage that matches: its score, and the file version and the record number that hold it.

    `item` is 0 where the document is the whole file. `address` is where tantivy stores the passage.
    """

    score: float
    version_id: int
    item: int
    address: DocAddress


class Stored(NamedTuple):
    """A passage as the index stores it. `source` is empty where the file itself is the source."""

    text: str
    source: str
    title: str
    start: int
    end: int
    published_at: datetime | None
    lead: tuple[Line, ...]


def _schema() -> Schema:
    builder = SchemaBuilder()
    for name in ("text", "title"):  # without positions, since no query asks for a phrase
        builder.add_text_field(name, tokenizer_name=ANALYZER, index_option="freq")
    builder.add_unsigned_field("file", indexed=True, fast=True)
    builder.add_unsigned_field("item", fast=True)
    builder.add_bytes_field("stored", stored=True)
    return builder.build()


_SCHEMA = _schema()


def open_passages(folder: Path, *, create: bool = False) -> Index:
    """Opens the index in `folder`, or makes it with `create`.

    Raises `ValueError` or `OSError` for an index that is missing or damaged.
    """
    if create:
        folder.mkdir(exist_ok=True)
    index = Index(_SCHEMA, path=str(folder)) if create else Index.open(str(folder))
    index.register_tokenizer(ANALYZER, stemming())
    index.config_reader("manual")  # a reader reloads when the manifest has changed
    return index


def open_writer(index: Index) -> IndexWriter:
    """Opens the index's only writer. Raises `ValueError` while another writer holds the lock."""
    writer = index.writer(HEAP, _THREADS)
    writer.garbage_collect_files()  # a killed commit leaves files, whose names the next commit gives again
    return writer


def add(writer: IndexWriter, document: Document, window: Window, version_id: int) -> None:
    """Queues one passage of a file version. A search can return it after a commit."""
    text = document.text[window.start : window.end]
    published = document.published_at.isoformat() if document.published_at else None
    stored = [text, document.source, document.title, window.start, window.end, published, window.lead]
    row = {
        "text": composed(text),
        "title": composed(f"{document.title}\n{window.heading}"),
        "file": version_id,
        "item": document.item,
        "stored": json.dumps(stored, ensure_ascii=False).encode(),
    }
    # By the schema, because a number of the wrong sign kills the writer.
    writer.add_document(Row.from_dict(row, _SCHEMA))


def remove(writer: IndexWriter, version_id: int) -> None:
    """Queues the removal of all passages of a file version."""
    # By query: the removal by term reads the number as signed, and matches nothing.
    writer.delete_documents_by_query(Query.term_query(_SCHEMA, "file", version_id))


_DIGITS = 4
"""Decimal places of a score. The places after them depend on the order in which an index was built."""


def best_hits(searcher: Searcher, words: Sequence[str], limit: int) -> list[Hit]:
    """Searches for these stems, and returns the `limit` best passages, best first."""
    matches = searcher.search(_query(words), limit, count=False).hits
    addresses = [address for _, address in matches]
    version_ids = searcher.fast_field_values("file", addresses)
    items = searcher.fast_field_values("item", addresses)
    return [
        Hit(round(score, _DIGITS), int(version_id or 0), int(item or 0), address)
        for (score, address), version_id, item in zip(matches, version_ids, items, strict=True)
    ]


def stored_passage(searcher: Searcher, hit: Hit) -> Stored:
    """Reads the text, title, offsets, date and lead of the passage of a hit."""
    text, source, title, start, end, published, lead = json.loads(searcher.doc(hit.address)["stored"][0])
    date = datetime.fromisoformat(published) if published else None
    return Stored(text, source, title, start, end, date, tuple((at, words) for at, words in lead))


def _query(words: Sequence[str]) -> Query:
    # Made term by term: a query is plain text, and must never be read as the engine's query language.
    texts = [Query.term_query(_SCHEMA, "text", word) for word in words]
    titles = [Query.boost_query(Query.term_query(_SCHEMA, "title", word), _TITLE_BOOST) for word in words]
    return Query.boolean_query([(Occur.Should, query) for query in (*texts, *titles)])
