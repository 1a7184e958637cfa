"""Reads the documents in a file. The ending of the file's name, such as .pdf, tells its kind."""

import csv
import io
import json
import re
from collections.abc import Callable, Iterable, Iterator
from dataclasses import replace
from pathlib import Path

from rarr.retrievers.extract import documents as reading
from rarr.retrievers.extract.documents import MEGABYTE, Complain, Document, UnreadableError, parsed_date
from rarr.retrievers.extract.limited_calls import call_in_worker
from rarr.retrievers.extract.pages import read_html
from rarr.tools.text.blocks_and_sentences import blocks
from rarr.valid_unicode import valid

MOST_BYTES = 200 * MEGABYTE
"""The most bytes of one file."""
TOO_LARGE = f"it holds more than {MOST_BYTES // MEGABYTE} MB: split it"
MOST_CHARACTERS = 20_000_000
"""The most characters of a page, PDF or file of Word: ten times the longest books."""

FILE_S, FILE_MB, MORE_S, MORE_MB = 60.0, 1000, 30.0, 20
"""The limits of reading a file in a worker: seconds, MB of memory, and how much each MB of the file adds."""

_LONG_FILE = 10 * MEGABYTE  # a longer file is read in parts, to limit the memory
_PART_CHARACTERS = 250_000  # characters. A part ends before a heading or at a blank line, if possible
_LONGEST_CELL = 2**31 - 1  # the most bytes of a cell in a file of rows
_LONGEST_RECORD = 20 * MEGABYTE  # the most bytes of a line of JSON lines: many books
_FRONT_MATTER = re.compile(r"---\r?\n(.{0,5000}?)\r?\n---\r?\n", re.DOTALL)
_FRONT_MATTER_LINE = re.compile(r"^(title|date):[ \t]*[\"']?(.*?)[\"']?[ \t]*\r?$", re.MULTILINE)
_OPENING_CHARACTERS = 20_000  # the first characters, which are searched for a title and a separator
_PART_ENDS = ("\n# ", "\n## ", "\n\n", "\n", " ")
# Read in a worker: a parser can take hours or all memory for a small hostile file of these kinds.
_KINDS_IN_WORKER = (".html", ".htm", ".pdf", ".docx", ".json")


def extract(path: Path, complain: Complain) -> Iterator[Document]:
    """Yields the documents in the file `path`, in order, without blank documents.

    Calls `complain` with a message about each record that cannot be read. Raises `UnreadableError` with the
    reason if the file cannot be read further. Documents that came before the error are valid.
    """
    is_empty, documents = True, _read_documents(path, complain)
    if file_kind(path.name) in _KINDS_IN_WORKER and path.exists():
        size = min(path.stat().st_size, MOST_BYTES) / MEGABYTE
        seconds, megabytes = round(FILE_S + MORE_S * size, 1), round(FILE_MB + MORE_MB * size)
        found, notes = call_in_worker(seconds, megabytes, documents_and_complaints, path)
        documents = iter(found)
        for note in notes:
            complain(note)
    for document in documents:
        is_empty = False
        yield document
    if is_empty:
        cure = ": put it through OCR, if it is a scan" if file_kind(path.name) == ".pdf" else ""
        raise UnreadableError(f"it holds no text{cure}")


def documents_and_complaints(path: Path) -> tuple[list[Document], list[str]]:
    """Reads a file in this process. Returns (documents that are not blank, messages about problems)."""
    notes: list[str] = []
    return list(_read_documents(path, notes.append)), notes


def _read_documents(path: Path, complain: Complain) -> Iterator[Document]:
    try:
        for document in _READERS[file_kind(path.name)](path, complain):
            if document.text.strip():
                yield replace(document, text=valid(document.text), title=valid(document.title))
    except OSError as error:  # the next try may succeed
        raise UnreadableError(f"it cannot be read ({error.strerror or error})", lasting=False) from None


def file_kind(name: str) -> str:
    """Returns the kind of a file by its name, such as `.md` for `Notes.MD`; "" for an unknown kind."""
    suffix = Path(name.lower()).suffix
    return suffix if suffix in _READERS else ""


def _read_bytes(path: Path) -> bytes:
    with path.open("rb") as file:
        data = file.read(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise UnreadableError(TOO_LARGE, lasting=False)
    return data


def _read_text(path: Path, complain: Complain) -> Iterator[Document]:
    title, start, published_at = "", 0, None
    for part in _text_parts(path, complain):
        if start == 0:
            front = _FRONT_MATTER.match(part)  # lines with facts, with which notes and static sites begin
            facts = dict(_FRONT_MATTER_LINE.findall(front[1])) if front else {}
            heading = _top_heading(part[front.end() if front else 0 :][:_OPENING_CHARACTERS])
            title = facts.get("title") or heading or path.stem
            published_at = parsed_date(facts.get("date"))
        yield Document(part, title, published_at=published_at, start=start)
        start += len(part)


def _text_parts(path: Path, complain: Complain) -> Iterator[str]:
    """Yields the text of a file, in parts if it is long. The joined parts are the whole text."""
    most, rest = _PART_CHARACTERS if path.stat().st_size > _LONG_FILE else MOST_BYTES, ""
    with path.open("rb") as file:
        for piece in reading.decoded_pieces(file, complain=complain):
            rest += piece
            while len(rest) > most:
                ends = (rest.rfind(mark, most // 2, most) + 1 for mark in _PART_ENDS)
                end = next(filter(None, ends), most)
                if rest[:end].isspace():  # a blank part would be lost, and later starts would be wrong
                    break
                yield rest[:end]
                rest = rest[end:]
    yield rest


def _top_heading(text: str) -> str:
    """Returns the words of the first heading; "" without a heading, or if its level occurs twice."""
    headings = [block for block in blocks(text) if block.kind == "heading"]
    levels = [heading.level for heading in headings]
    if levels.count(levels[0] if levels else 0) != 1:
        return ""
    return text[headings[0].start : headings[0].end].strip().partition("\n")[0].strip("#*_ \t\r")


def _read_table(path: Path, complain: Complain) -> Iterator[Document]:
    """Reads rows as one table. Most lines have the separator of cells as often as the first line has it."""
    text = reading.decode(_read_bytes(path), complain=complain)
    lines = text[:_OPENING_CHARACTERS].splitlines() or [""]
    marks = {mark: sum(line.count(mark) == lines[0].count(mark) > 0 for line in lines) for mark in "\t;|,"}
    rows = csv.reader(io.StringIO(text, newline=""), delimiter=max(marks, key=lambda mark: marks[mark]))
    yield Document(reading.markdown_table(reading.rows_with_long_cells(rows, _LONGEST_CELL)), path.stem)


def _read_json(path: Path, complain: Complain) -> Iterator[Document]:
    value = _parse_json(_read_bytes(path))
    yield from _read_records("item", value if isinstance(value, list) else [value], complain)


def _read_json_lines(path: Path, complain: Complain) -> Iterator[Document]:
    with path.open("rb") as file:
        yield from _read_records("line", iter(lambda: file.readline(_LONGEST_RECORD + 1), b""), complain)


def _read_records(noun: str, values: Iterable[object], complain: Complain) -> Iterator[Document]:
    for number, value in enumerate(values, start=1):
        if isinstance(value, bytes) and len(value) > _LONGEST_RECORD:
            most = _LONGEST_RECORD // MEGABYTE
            raise UnreadableError(f"line {number} holds more than {most} MB: split it")
        try:
            if not isinstance(value, bytes) or value.strip():
                yield _read_record(_parse_json(value) if isinstance(value, bytes) else value, number)
        except UnreadableError as problem:
            complain(f"{noun} {number} is left out: {problem}")


def _parse_json(data: bytes) -> object:
    try:
        return valid(json.loads(data))
    except (ValueError, RecursionError) as error:
        raise UnreadableError(f"its JSON cannot be read ({error})") from error


def _read_record(value: object, number: int) -> Document:
    if not isinstance(value, dict) or not isinstance(value.get("text"), str):
        raise UnreadableError('it is not an object with a "text" string')
    texts = (value.get("title"), value.get("url") or value.get("source"))
    title, source = (text if isinstance(text, str) else "" for text in texts)
    date = parsed_date(value.get("published_at") or value.get("date"))
    return Document(value["text"], title, source, number, date)


def _read_page_or_office_file(path: Path, complain: Complain) -> Iterator[Document]:
    """Reads a page of HTML, a PDF or a file of Word. Without a title, the title is the name of the file."""
    data, suffix = _read_bytes(path), file_kind(path.name)
    if suffix in (".pdf", ".docx"):
        page = reading.read_pdf(data) if suffix == ".pdf" else reading.read_docx(data)
    else:
        page = read_html(data, is_own=True, complain=complain)
    if len(page.text) > MOST_CHARACTERS:
        raise UnreadableError(f"it holds more than {MOST_CHARACTERS} characters: split it")
    yield replace(page, title=page.title or path.stem)


_READERS: dict[str, Callable[[Path, Complain], Iterator[Document]]] = {
    **dict.fromkeys((".txt", ".md"), _read_text),
    **dict.fromkeys((".html", ".htm", ".pdf", ".docx"), _read_page_or_office_file),
    **dict.fromkeys((".csv", ".tsv"), _read_table),
    ".json": _read_json,
    ".jsonl": _read_json_lines,
}
KINDS = tuple(_READERS)
