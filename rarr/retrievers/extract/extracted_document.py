"""Declares the documents that a file holds, and reads their bytes as text and their dates."""

import codecs
import io
from collections.abc import Callable, Iterator
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, date, datetime, time
from email.utils import parsedate_to_datetime
from functools import partial
from typing import BinaryIO

Complain = Callable[[str], None]
"""Called with one line about a part of a file that cannot be read, or an encoding that was guessed."""

MEGABYTE = 1_000_000
"""The bytes of a megabyte."""


@dataclass(frozen=True, slots=True)
class Document:
    """One text to search, or a part of a long one, which begins at `start` of the whole.

    `source` is the address that a record names for itself. Where it is empty, the document is the whole file
    or, where `item` is not 0, the item or line of the file with that number, counted from 1.
    """

    text: str
    title: str = ""
    source: str = ""
    item: int = 0
    published_at: datetime | None = None
    start: int = 0


class UnreadableError(Exception):
    """A file or page cannot be read, and is skipped. `lasting`: trying again is useless until it changes."""

    def __init__(self, reason: str, *, lasting: bool = True) -> None:
        super().__init__(reason)
        self.lasting = lasting


def published(value: object) -> datetime | None:
    """Parses a date object, an ISO 8601 string or a mail header's date, as UTC without a zone; else None."""
    if isinstance(value, str):
        for parse in (datetime.fromisoformat, parsedate_to_datetime):
            with suppress(ValueError, OverflowError):
                return published(parse(value.strip()))
    if isinstance(value, datetime):
        return value if value.tzinfo else value.replace(tzinfo=UTC)
    return datetime.combine(value, time(), UTC) if isinstance(value, date) else None


# UTF-32 before UTF-16, whose mark is the beginning of the mark of UTF-32.
_MARKS = {
    "utf-8-sig": (codecs.BOM_UTF8,),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
_SAMPLE = 65_536  # bytes from which an encoding is guessed; guessing is slow
_PIECE = 4 * MEGABYTE  # bytes that are read at once


def decode(data: bytes, declared: str | None = None, complain: Complain = lambda _: None) -> str:
    """Decodes `data`, as `decoded` says."""
    return "".join(decoded(io.BytesIO(data), declared, complain))


def decoded(
    file: BinaryIO, declared: str | None = None, complain: Complain = lambda _: None
) -> Iterator[str]:
    """Decodes a file by its byte order mark, else as UTF-8, else in the encoding `declared`, in pieces.

    Otherwise guesses the encoding, and calls `complain` with a message that names it. Raises
    `UnreadableError` if the file is not text.
    """
    first = file.read(_SAMPLE)
    marked = [encoding for encoding, marks in _MARKS.items() if first.startswith(marks)]
    for encoding in marked[:1] or filter(None, ["utf-8", declared]):
        with suppress(LookupError, ValueError):
            if all("\0" not in piece for piece in _pieces(file, encoding, "strict")):
                return _pieces(file, encoding, "strict")
            break  # NUL: it is data
    from charset_normalizer import from_bytes  # few files need it, and it takes long to import

    guess = None if b"\0" in first else from_bytes(first).best()
    if guess is None:
        raise UnreadableError("it is not text in a known encoding: save it as UTF-8")
    complain(f"read as {guess.encoding}, since it is not UTF-8: save it as UTF-8 if its words look wrong")
    return _pieces(file, guess.encoding, "replace")


def _pieces(file: BinaryIO, encoding: str, errors: str) -> Iterator[str]:
    file.seek(0)
    return codecs.iterdecode(iter(partial(file.read, _PIECE), b""), encoding, errors)
