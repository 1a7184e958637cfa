"""Reads the documents in a file of any known kind, by the ending of its name."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterator
from dataclasses import replace
from functools import partial
from pathlib import Path

from rarr.retrievers.extract.extracted_document import (
    MEGABYTE,
    Complain,
    Document,
    UnreadableError,
    decode,
    decoded,
    encoding_of,
    published,
    too_much,
    unopened,
)
from rarr.retrievers.extract.html_main_text import read_page
from rarr.retrievers.extract.limited_calls import extracted_file
from rarr.retrievers.extract.office import markdown_table, read_office
from rarr.retrievers.extract.pdf import read_pdf
from rarr.tools.text.blocks_and_sentences import blocks
from rarr.valid_unicode import valid

_FRONT_MATTER = re.compile(r"---\r?\n(.{0,5000}?)\r?\n---\r?\n", re.DOTALL)
_FACT = re.compile(r"^(title|date):[ \t]*[\"']?(.*?)[\"']?[ \t]*\r?$", re.MULTILINE)
_LETTERS = re.compile(r"[^\W_]+")
_OPENING = 20_000  # characters that are searched for a title
_PIECE = 4 * MEGABYTE  # bytes that are read at once
LONG_TEXT = 10 * MEGABYTE
"""Text files of more bytes come in parts, so that the memory for them does not grow with their size."""
PART = 250_000
"""The most characters of a part. It ends before a heading, else at a blank line, where it has one."""
_ENDS = ("\n# ", "\n## ", "\n\n", "\n", " ")
LONGEST_RECORD = 20 * MEGABYTE
"""The most bytes of a line of JSON lines: the size of many books."""


def extract(path: Path, max_bytes: int, complain: Complain) -> Iterator[Document]:
    """Yields the documents in the file `path`, in order, without blank documents.

    Records that cannot be read are reported to `complain`, one line each. No file, and no line of a file of
    JSON lines, may hold more than `max_bytes`. Raises `UnreadableError`, whose message is the
    reason alone, possibly after some documents: the documents before a damage are kept.
    """
    is_empty = True
    if kind(path.name) in _APART:  # a hostile small file can take hours, or all memory
        try:
            size = min(path.stat().st_size, max_bytes)
        except OSError as error:
            raise unopened(error) from None
        found, notes = extracted_file(read_all, path, max_bytes, size=size)
        documents = iter(found)
        for note in notes:
            complain(note)
    else:
        documents = _read(path, max_bytes, complain)
    for document in documents:
        is_empty = False
        yield document
    if is_empty:
        raise UnreadableError("it holds no text")


def read_all(path: Path, max_bytes: int) -> tuple[list[Document], list[str]]:
    """Reads a file in this process. Returns its documents that are not blank, and the complaints."""
    notes: list[str] = []
    return list(_read(path, max_bytes, notes.append)), notes


def _read(path: Path, max_bytes: int, complain: Complain) -> Iterator[Document]:
    try:
        for document in _READERS[kind(path.name)](path, max_bytes, complain):
            if document.text.strip():
                yield replace(document, text=valid(document.text), title=valid(document.title))
    except OSError as error:
        raise unopened(error) from None


def kind(name: str) -> str:
    """Returns the kind of a file by its name, such as `.md` for `Notes.MD`; "" if unknown."""
    suffix = Path(name.lower()).suffix
    return suffix if suffix in _READERS else ""


def _text(path: Path, max_bytes: int, complain: Complain) -> Iterator[Document]:
    parts = _parts(path, max_bytes, complain)
    text = next(parts, "")
    front = _FRONT_MATTER.match(text)  # notes and static sites have it; Markdown itself does not define it
    facts = dict(_FACT.findall(front[1])) if front else {}
    heading = _heading(text[front.end() if front else 0 :][:_OPENING], path.stem)
    title, date = facts.get("title") or heading or path.stem, published(facts.get("date"))
    yield Document(text, title, published_at=date)
    start = len(text)
    for part in parts:
        yield Document(part, title, published_at=date, start=start)
        start += len(part)


def _parts(path: Path, max_bytes: int, complain: Complain) -> Iterator[str]:
    """Yields the whole text of a file, or the parts of a long one. Joined, the parts are the text."""
    if path.stat().st_size <= LONG_TEXT:
        yield decode(_content(path, max_bytes), complain=complain)
        return
    encoding, rest = encoding_of(lambda: _pieces(path), complain=complain), ""
    for piece in decoded(_pieces(path), encoding):
        rest += piece
        while len(rest) > PART:
            ends = (rest.rfind(mark, PART // 2, PART) + 1 for mark in _ENDS)
            end = next(filter(None, ends), PART)
            if rest[:end].isspace():  # a blank document is left out, and the places behind it would be wrong
                break
            yield rest[:end]
            rest = rest[end:]
    yield rest


def _pieces(path: Path) -> Iterator[bytes]:
    with path.open("rb") as file:
        yield from iter(partial(file.read, _PIECE), b"")


def _page(path: Path, max_bytes: int, complain: Complain) -> Iterator[Document]:
    page = read_page(_content(path, max_bytes), is_own=True, complain=complain)
    yield Document(page.text, page.title or path.stem, published_at=page.published_at)


def _titled(read: Callable[[bytes], tuple[str, str]]) -> Callable[[Path, int, Complain], Iterator[Document]]:
    """Makes a function that reads a file as one document. `read` returns text and title of the bytes.

    A document without a title gets the file's name as title.
    """

    def document(path: Path, max_bytes: int, complain: Complain) -> Iterator[Document]:
        text, title = read(_content(path, max_bytes))
        yield Document(text, title or path.stem)

    return document


def _table(path: Path, max_bytes: int, complain: Complain) -> Iterator[Document]:
    """Reads a file of rows as one table. Its mark between cells is as frequent in most lines."""
    text = decode(_content(path, max_bytes), complain=complain)
    lines = text[:_OPENING].splitlines()
    first = lines[0] if lines else ""
    marks = {mark: sum(line.count(mark) == first.count(mark) > 0 for line in lines) for mark in "\t;|,"}
    try:
        rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(marks, key=lambda mark: marks[mark]))
        yield Document(markdown_table(rows), path.stem)
    except csv.Error as error:
        raise UnreadableError(f"its rows cannot be read ({error})") from error


def _json(path: Path, max_bytes: int, complain: Complain) -> Iterator[Document]:
    """Yields the documents of a JSON list or object."""
    value = _parsed(_content(path, max_bytes))
    for number, item in enumerate(value if isinstance(value, list) else [value], start=1):
        try:
            yield _document(item, number)
        except UnreadableError as problem:
            complain(f"item {number} is left out: {problem}")


def _json_lines(path: Path, max_bytes: int, complain: Complain) -> Iterator[Document]:
    """Yields the documents of JSON lines. A line of more than `LONGEST_RECORD` bytes cannot be a record."""
    most = min(max_bytes, LONGEST_RECORD)
    with path.open("rb") as lines:
        for number, line in enumerate(iter(lambda: lines.readline(most + 1), b""), start=1):
            if len(line) > most:
                raise UnreadableError(f"line {number} holds more than {most // MEGABYTE} MB: split it")
            try:
                if line.strip():
                    yield _document(_parsed(line), number)
            except UnreadableError as problem:
                complain(f"line {number} is left out: {problem}")


def _parsed(data: bytes) -> object:
    try:
        return valid(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"its JSON cannot be read ({error})") from error


def _document(value: object, number: int) -> Document:
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise UnreadableError('it is not an object with a "text" string')
    source = value.get("url") or value.get("source")
    title = value.get("title")
    return Document(
        text=value["text"],
        title=title if isinstance(title, str) else "",
        source=source if isinstance(source, str) else "",
        item=number,
        published_at=published(value.get("published_at") or value.get("date")),
    )


_READERS: dict[str, Callable[[Path, int, Complain], Iterator[Document]]] = {
    **dict.fromkeys((".txt", ".md"), _text),
    **dict.fromkeys((".html", ".htm"), _page),
    ".pdf": _titled(read_pdf),
    **{kind: _titled(partial(read_office, kind)) for kind in (".docx", ".pptx", ".xlsx")},
    **dict.fromkeys((".csv", ".tsv"), _table),
    ".json": _json,
    ".jsonl": _json_lines,
}
KINDS = tuple(_READERS)
# The others are read line by line, or at once as they are.
_APART = (".html", ".htm", ".pdf", ".docx", ".pptx", ".xlsx", ".json")


def _content(path: Path, max_bytes: int) -> bytes:
    with path.open("rb") as file:
        data = file.read(max_bytes + 1)
    if len(data) > max_bytes:  # it has grown since it was listed
        raise UnreadableError(f"it holds {too_much(max_bytes)}", lasting=False)
    return data


def _heading(text: str, name: str) -> str:
    """Returns the words of the first heading of `text` as its title; "" if there is no heading.

    Also "" if later headings have the same level, since the first then titles only a section, unless it has
    a word of the file's `name`.
    """
    headings = [block for block in blocks(text) if block.kind == "heading"]
    lines = text[headings[0].start : headings[0].end].strip().splitlines() if headings else []
    if not lines:
        return ""
    title = lines[0].strip("#*_ \t")
    is_part = any(other.level == headings[0].level for other in headings[1:])
    return "" if is_part and _words(title).isdisjoint(_words(name)) else title


def _words(text: str) -> set[str]:
    return set(_LETTERS.findall(text.casefold()))
