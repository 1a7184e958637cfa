"""Reads the text and the title of a PDF."""

import io
import logging
from collections.abc import Iterator
from typing import TYPE_CHECKING

from rarr.retrievers.extract.extracted_document import UnreadableError

if TYPE_CHECKING:
    from pypdf import PdfReader

MOST_PAGES = 5_000
MOST_CHARACTERS = 20_000_000
"""The most characters of text in one PDF: ten times the longest books. A few bytes may unpack to more."""

_SILENCE = logging.NullHandler()  # without a handler, pypdf writes to standard error


def read_pdf(data: bytes, *, most_characters: int = MOST_CHARACTERS) -> tuple[str, str]:
    """Reads the text and the title ("" without a title) of the PDF in `data`.

    Raises `UnreadableError` if the PDF is damaged or too long.
    """
    import pypdf  # takes long to import

    logging.getLogger("pypdf").addHandler(_SILENCE)
    try:
        reader = pypdf.PdfReader(io.BytesIO(data))
        text = "\n\n".join(_texts(reader, most_characters))
        title = reader.metadata.title if reader.metadata else None
    except (UnreadableError, MemoryError):  # the process has a limit of memory
        raise
    except Exception as error:  # a damaged PDF can make the parser raise almost any error
        raise UnreadableError(f"its PDF cannot be read ({type(error).__name__}: {error})") from error
    return text, str(title or "").strip()


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
