"""The index of a corpus on disk: passages in the search engine tantivy, and a manifest that lists the files.

A build ends with one commit of tantivy. Until the commit, a search finds the passages of the last build.
The manifest is written after the commit, and holds the number of the commit. If a build dies before it writes
the manifest, the two numbers differ. Then the next build replaces all passages.
"""

import json
import os
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from hashlib import blake2b
from pathlib import Path
from tempfile import TemporaryDirectory
from typing import NamedTuple

import tantivy
from pydantic import BaseModel
from tantivy import FieldType, Index, Occur, Query, SchemaBuilder, Searcher

from rarr.errors import InputError, RarrError
from rarr.retrievers.corpus.chunking import Window
from rarr.retrievers.corpus.index_words import ANALYZER, STEMMER, normalised_text
from rarr.retrievers.extract.documents import Document

FORMAT = "5"
FILE_PREFIX = "rarr-index."
"""The names of rarr's files in the folder of an index begin with this text, in all versions of rarr."""
MANIFEST, LOCK, PASSAGES = f"{FILE_PREFIX}json", f"{FILE_PREFIX}lock", "passages"
"""The names in the folder of an index: the manifest, the lock file, and the folder of tantivy."""

NOT_SEARCHED = "not searched: "  # the reason why a whole file is not searched begins with this
_CURE = "delete the folder, or build it again: rarr index PATH -o "
_TITLE_BOOST = 1.2  # a title tells the topic of the whole document
_SCORE_DIGITS = 4  # kept digits of a score: later digits depend on the order of the build


class IndexedFile(BaseModel):
    """A file that a build has read. `notes`: messages about unread parts, or about a guessed encoding."""

    size: int
    mtime_ns: int
    documents: int = 0
    passages: int = 0
    notes: tuple[str, ...] = ()


class IndexManifest(BaseModel):
    """The content of an index, and how the index was made.

    `root`: the path of the corpus, without links. `shown`: the path that the sources of passages begin with.
    `commit`: tantivy's number of the last commit. `files`: maps the name of a file to its `IndexedFile`.
    `skipped`: (file, reason) for each file that the last build did not read.
    """

    format: str = FORMAT
    window: int
    root: str = ""
    shown: str = ""
    commit: int = 0
    files: dict[str, IndexedFile] = {}
    skipped: list[tuple[str, str]] = []

    def unread_files(self, path: Path) -> list[tuple[str, str]]:
        """Returns (file, message) about unread text and guessed encodings. Each file begins with `path`."""
        noted = [(name, note) for name, file in sorted(self.files.items()) for note in file.notes]
        skipped = [(name, f"{NOT_SEARCHED}{reason}") for name, reason in sorted(self.skipped)]
        return [((path / name).as_posix(), reason) for name, reason in skipped + noted]


def read_manifest(folder: Path) -> IndexManifest:
    """Reads the manifest in `folder`. Raises `InputError` if it is damaged or of another version."""
    with raise_as(f"index {str(folder)!r} is damaged or unfinished ({{}}): {_CURE}{folder}"):
        facts = json.loads((folder / MANIFEST).read_bytes())
        if facts.get("format") != FORMAT:
            raise InputError(f"index {str(folder)!r} was made by another version of rarr: {_CURE}{folder}")
        return IndexManifest.model_validate(facts)


@contextmanager
def raise_as(message: str, error: type[RarrError] = InputError) -> Iterator[None]:
    """Turns an error of tantivy or the file system into `error`. In `message`, its reason replaces {}."""
    try:
        yield
    except BaseException as failure:
        reason = " ".join(str(failure).split())[:200] if isinstance(failure, OSError | ValueError) else ""
        if not reason and type(failure).__name__ != "PanicException":  # of tantivy, about damaged files
            raise
        raise error(message.replace("{}", reason or "its passages cannot be read")) from failure


class IndexReader:
    """An open index on disk. Many threads may use it. A new build does not disturb a running search."""

    def __init__(self, folder: Path, window: int) -> None:
        """Opens the index. Raises `InputError` if it is damaged, or has another window or version."""
        self.folder, self.manifest = folder, read_manifest(folder)
        if (made := self.manifest.window) != window:
            cure = f"set window to {made}, or build it again: rarr index PATH -o {folder}"
            raise InputError(f"index {str(folder)!r} holds windows of {made} sentences, not {window}: {cure}")
        self._is_read_only = not os.access(folder, os.W_OK)  # then nobody changes the index
        damaged = f"index {str(folder)!r} is damaged ({{}}): {_CURE}{folder}"
        with raise_as(damaged), TemporaryDirectory(prefix="rarr-") as links:
            if self._is_read_only:  # tantivy writes its lock into a folder with links to the files
                for file in (folder / PASSAGES).iterdir():
                    if file.suffix != ".lock":
                        Path(links, file.name).symlink_to(file.absolute())
            self._index = open_passages(Path(links) if self._is_read_only else folder / PASSAGES)
            self._index.reload()
            best_hits(self._index.searcher(), ["any"], 1)  # tantivy opens some files only for a search

    def searcher(self) -> Searcher:
        """Returns a searcher for the last commit. In a read-only folder, later commits are not seen.

        Raises `OSError` or `ValueError` if the index is damaged.
        """
        if not self._is_read_only:
            self._index.reload()
        return self._index.searcher()


def is_index(folder: Path) -> bool:
    """Tells whether a folder holds an index, even if it is unfinished, damaged or of another version."""
    try:
        return any(it.name != LOCK or (folder / PASSAGES).exists() for it in folder.glob(f"{FILE_PREFIX}*"))
    except OSError:  # the folder is forbidden: reading it as a corpus will report this
        return False


_BUILDER = SchemaBuilder()
for _name in ("text", "title"):  # without positions, since no query asks for a phrase
    _BUILDER.add_text_field(_name, tokenizer_name=ANALYZER, index_option="freq")
_BUILDER.add_unsigned_field("file", indexed=True, fast=True)
for _name in ("item", "start"):
    _BUILDER.add_unsigned_field(_name, fast=True)
_BUILDER.add_bytes_field("stored", stored=True)
_SCHEMA = _BUILDER.build()


def open_passages(folder: Path, *, create: bool = False) -> Index:
    """Opens tantivy's index in `folder`, or makes it with `create`. Raises `ValueError` or `OSError`."""
    if create:
        folder.mkdir(exist_ok=True)
    index = Index(_SCHEMA, path=str(folder)) if create else Index.open(str(folder))
    index.register_tokenizer(ANALYZER, STEMMER)
    index.config_reader("manual")
    return index


def passage_row(file: str, document: Document, window: Window) -> tantivy.Document:
    """Makes the row of the index for the passage at `window` of `document`. `file`: the document's file."""
    text, at, date = document.text[window.start : window.end], document.start, document.published_at
    start, lead = at + window.start, [(at + place, words) for place, words in window.lead]
    stored = {
        "file": file,
        "text": text,
        "source": document.source,
        "title": document.title,
        "start": start,
        "end": at + window.end,
        "published_at": date.isoformat() if date else None,
        "lead": lead,
    }
    row = {
        "text": normalised_text(text),
        "title": normalised_text(f"{document.title}\n{window.heading}"),
        "file": _file_number(file),
        "item": document.item,
        "start": start,
        "stored": json.dumps(stored, ensure_ascii=False).encode(),
    }
    return tantivy.Document.from_dict(row, _SCHEMA)  # a negative number would kill the writer


def file_query(file: str) -> Query:
    return Query.term_query(_SCHEMA, "file", _file_number(file))


def _file_number(file: str) -> int:
    return int.from_bytes(blake2b(file.encode(), digest_size=8).digest()) >> 1


class Hit(NamedTuple):
    """A passage that a search found. `document`: the number of its file, and of its record there, or 0."""

    score: float
    document: tuple[int, int]
    start: int
    address: tantivy.DocAddress


def best_hits(
    searcher: Searcher, words: Sequence[str], limit: int, without: Sequence[tuple[int, int]] = ()
) -> list[Hit]:
    """Returns the `limit` best hits for the stems `words`, without passages of the documents `without`."""
    # Made term by term, because the engine must never read the query as commands of its query language.
    texts = [Query.term_query(_SCHEMA, "text", word) for word in words]
    titles = [Query.boost_query(Query.term_query(_SCHEMA, "title", word), _TITLE_BOOST) for word in words]
    query = Query.boolean_query([(Occur.Should, part) for part in (*texts, *titles)])
    if without:
        query = Query.boolean_query([(Occur.Must, query), *((Occur.MustNot, _within(*it)) for it in without)])
    matches = searcher.search(query, limit, count=False).hits
    addresses = [address for _, address in matches]
    numbers = (searcher.fast_field_values(name, addresses) for name in ("file", "item", "start"))
    return [
        Hit(round(score, _SCORE_DIGITS), (int(file or 0), int(item or 0)), int(start or 0), address)
        for (score, address), file, item, start in zip(matches, *numbers, strict=True)
    ]


def _within(file: int, item: int) -> Query:
    of_item = Query.range_query(_SCHEMA, "item", FieldType.Unsigned, item, item)
    return Query.boolean_query([(Occur.Must, Query.term_query(_SCHEMA, "file", file)), (Occur.Must, of_item)])


def stored_fields(searcher: Searcher, hit: Hit) -> bytes:
    """Returns the passage of a hit as JSON, with its `file`. If `source` is "", the file is the source."""
    return bytes(searcher.doc(hit.address)["stored"][0])
