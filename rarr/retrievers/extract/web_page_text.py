"""Extracts the main text of a page from the web, without cookie notices, menus and buttons.

Runs in a worker process (see `limited_calls`).
"""

import re

from rarr.retrievers.extract.extracted_document import UnreadableError, decode
from rarr.retrievers.extract.html_main_text import MOST_BYTES, Page, read_page
from rarr.retrievers.extract.pdf import read_pdf
from rarr.valid_unicode import valid

MOST_CHARACTERS = 2_000_000
"""The most characters of text in one page: the length of a thick book."""


def extract_page(content: bytes, media_type: str, charset: str | None) -> Page:
    """Extracts the main text of a fetched page by `media_type`; bytes that begin as a PDF are read as a PDF.

    Raises `UnreadableError`, with the reason as message, if it has no text, too much text or is damaged.
    """
    # Some servers label everything that they send as HTML.
    read = _pdf if content[:5].lower() == b"%pdf-" else _READERS[media_type]
    page = read(content, charset)
    if not page.text.strip():
        raise UnreadableError("it holds no text")
    if len(page.text) > MOST_CHARACTERS:
        raise UnreadableError(f"its text is longer than {MOST_CHARACTERS:,} characters")
    return Page(valid(page.text), valid(page.title), page.published_at)


_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^)\s]{0,2000}\)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,500})\]\((?:https?:|/|#|mailto:)[^)\n]{0,2000}\)")


def extract_markdown(markdown: str) -> str:
    """Removes images, link addresses and menus from a page in Markdown; "" if nothing is left.

    Raises `UnreadableError` if it is too long.
    """
    if len(markdown) > MOST_CHARACTERS:
        raise UnreadableError(f"its text is longer than {MOST_CHARACTERS:,} characters")
    text = without_furniture(_LINK.sub(r"\1", _IMAGE.sub("", markdown)))
    return text if text.strip() else ""


def _html(content: bytes, charset: str | None) -> Page:
    page = read_page(content, charset, most_bytes=MOST_BYTES)
    return page._replace(text=without_furniture(page.text))


def _pdf(content: bytes, charset: str | None) -> Page:
    return Page(*read_pdf(content, most_characters=MOST_CHARACTERS), None)


def _text(content: bytes, charset: str | None) -> Page:
    return Page(decode(content, charset), "", None)


_READERS = {
    "text/html": _html,
    "application/xhtml+xml": _html,
    "text/plain": _text,
    "text/markdown": _text,
    "application/pdf": _pdf,
}


_LONGEST_FURNITURE = 400  # characters; a longer block is an article, even if it is about cookies

_NOTICE = re.compile(
    r"(?:we|this (?:web)?site|our (?:web)?site|our partners)\b.{0,60}\bcookies\b"
    r"|by (?:continuing|using|clicking)\b.{0,80}\b(?:cookies|privacy policy|terms of (?:use|service))"
    r"|(?:accept|reject|allow)(?: all)?(?: cookies)?$",
    re.IGNORECASE,
)
_SEPARATED = re.compile(r"\s*(?:\||•|·|»|›)\s*")
_ENDS_A_SENTENCE = re.compile(r"[.!?]['\"”’)]*(?:\s|$)")


def without_furniture(text: str) -> str:
    """Removes cookie notices and rows of links from `text`. Blank lines separate its blocks."""
    return "\n\n".join(block for block in text.split("\n\n") if not _is_furniture(block.strip("# ")))


def _is_furniture(block: str) -> bool:
    if len(block) > _LONGEST_FURNITURE or block.startswith(("|", "```")):  # a table, code
        return False
    parts = list(filter(None, _SEPARATED.split(block)))
    ends = any(map(_ENDS_A_SENTENCE.search, parts))
    if not ends and len(parts) > 3 and max(map(len, parts)) <= 30:  # a row of links
        return True
    return _NOTICE.match(block) is not None
