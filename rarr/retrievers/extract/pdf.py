"""Reads the text and the title of a PDF."""

import io
import logging
import re
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rarr.retrievers.extract.extracted_document import UnreadableError

if TYPE_CHECKING:
    from pypdf import PdfReader

MOST_PAGES = 5_000
MOST_CHARACTERS = 20_000_000
"""The most characters of text in one PDF: ten times the longest books. A few bytes may unpack to more."""

_BROKEN = re.compile(r"(\w+)(?:-|\u00ad)[ \t]*\r?\n[ \t]*([a-zà-öø-ÿ]\w*)")
_KEEPS_HYPHEN = frozenset({"non", "self", "ex"})
_NO_TITLE = re.compile(r"untitled\W*\d*|document\d*|microsoft (?:word|powerpoint) - .*", re.IGNORECASE)
_SILENCE = logging.NullHandler()  # without a handler, pypdf writes to standard error


def read_pdf(data: bytes, *, most_characters: int = MOST_CHARACTERS) -> tuple[str, str]:
    """Reads the text and the title ("" without a title) of the PDF in `data`.

    Raises `UnreadableError` if the PDF is damaged or too long.
    """
    import pypdf  # takes long to import

    logging.getLogger("pypdf").addHandler(_SILENCE)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        text = _rejoined("\n\n".join(_texts(reader, most_characters)))
        title = str((reader.metadata.title if reader.metadata else None) or "").strip()
    except (UnreadableError, MemoryError):  # the process has a limit of memory
        raise
    except Exception as error:  # a damaged PDF can make the parser raise almost any error
        raise UnreadableError(f"its PDF cannot be read ({type(error).__name__}: {error})") from error
    return text, "" if _NO_TITLE.fullmatch(title) else title


def _texts(reader: "PdfReader", most_characters: int) -> Iterator[str]:
    if (pages := len(reader.pages)) > MOST_PAGES:
        raise UnreadableError(f"its PDF has {pages} pages, more than {MOST_PAGES}: split it")
    size = 0
    for page in reader.pages:
        text = page.extract_text()
        size += len(text)
        if size > most_characters:
            raise UnreadableError(f"its PDF holds more than {most_characters} characters: split it")
        yield text


def _rejoined(text: str) -> str:
    """Joins words that are hyphenated at the end of a line.

    The hyphen stays where the word stands with it elsewhere, and not without it.
    """
    words = set(re.findall(r"\w+(?:-\w+)*", text.casefold()))

    def joined(match: re.Match[str]) -> str:
        first, second = match.groups()
        plain, hyphened = (f"{first}{mark}{second}".casefold() for mark in ("", "-"))
        keeps = hyphened in words or first.casefold() in _KEEPS_HYPHEN or first[-1].isdigit()
        return f"{first}-{second}" if keeps and plain not in words else first + second

    return _BROKEN.sub(joined, text)
