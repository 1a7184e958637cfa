"""Decodes the bytes of a file or page to text; line ends stay as they are."""

import codecs

from rarr.retrievers.extract.extracted_document import Complain, UnreadableError

# UTF-32 before UTF-16, whose mark is the beginning of the mark of UTF-32.
_MARKS = (
    (codecs.BOM_UTF8, "utf-8-sig"),
    (codecs.BOM_UTF32_LE, "utf-32"),
    (codecs.BOM_UTF32_BE, "utf-32"),
    (codecs.BOM_UTF16_LE, "utf-16"),
    (codecs.BOM_UTF16_BE, "utf-16"),
)
_SAMPLE = 65_536  # bytes from which an encoding is guessed; guessing is slow


def decode(data: bytes, declared: str | None = None, complain: Complain = lambda _: None) -> str:
    """Decodes `data` by its byte order mark, else as UTF-8, else in the encoding `declared`.

    Otherwise guesses the encoding, and calls `complain` with a message that names it. Raises
    `UnreadableError` if `data` is not text.
    """
    marked = [encoding for mark, encoding in _MARKS if data.startswith(mark)]
    for encoding in marked or ["utf-8", *([declared] if declared else [])]:
        try:
            text = data.decode(encoding)
        except (LookupError, ValueError):
            continue
        if "\0" in text:
            break
        return text
    encoding = _guessed(data)
    complain(f"read as {encoding}, since it is not UTF-8: save it as UTF-8 if its words look wrong")
    return data.decode(encoding, errors="replace")


def _guessed(data: bytes) -> str:
    from charset_normalizer import from_bytes  # few files need it, and it takes long to import

    guess = None if b"\0" in data else from_bytes(data[:_SAMPLE]).best()
    if guess is None:
        raise UnreadableError("it is not text in a known encoding: save it as UTF-8")
    return guess.encoding
