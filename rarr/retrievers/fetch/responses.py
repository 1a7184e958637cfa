"""Checks that a server's response is a readable page, and reads its body up to a limit of bytes."""

import codecs
import re
from contextlib import aclosing
from http import HTTPStatus
from typing import NamedTuple

import httpx2

from rarr.errors import RetrievalError
from rarr.tools.guard.bounded_http_client import AnswerTooLongError, PackedError, pieces
from rarr.tools.text.wording import shown

PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", "application/pdf")
_REDIRECTS = (301, 302, 303, 307, 308)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.I | re.A)
# Python's own encodings. No page is written in them, and some raise unexpected errors.
_NO_CHARSETS = {
    *("idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_7"),
}
# The possessive + prevents backtracking: a row of comments could be split in very many ways.
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?xml[^>]*>)*+<(?:!doctype html|html|head|body)\b",
    re.I | re.S,
)
_UNPRINTABLE = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_GLANCE = 4096  # bytes


class PageBody(NamedTuple):
    """The part of a body that was read, decompressed. `whole`: this is the complete body."""

    content: bytes
    whole: bool


def redirect(response: httpx2.Response) -> str | None:
    """Returns the address to which the server redirects; None if the response is no redirect."""
    return response.headers.get("Location") if response.status_code in _REDIRECTS else None


def require_page(response: httpx2.Response, max_bytes: int) -> None:
    """Raises `RetrievalError` unless status, media type and length are those of a page to read."""
    status = response.status_code
    if status in (429, 503):
        raise RetrievalError(f"it answered {_named(status)}: try again {_wait(response)}")
    if status not in (200, 203):
        raise RetrievalError(f"it answered {_named(status)}: check the address, or leave it out")
    if declared(response)[0] not in ("", *PAGE_TYPES):
        raise RetrievalError(
            f"it is {shown(declared(response)[0], 60)}, and only {', '.join(PAGE_TYPES)} are read"
        )
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and len(length) < 20 and int(length) > max_bytes:
        raise too_long(max_bytes)


def declared(response: httpx2.Response) -> tuple[str, str | None]:
    """Reads the header Content-Type: the media type ("" if none) and the character set (None if unknown)."""
    header = response.headers.get("Content-Type", "")
    charset = _CHARSET.search(header)
    return re.split("[;,]", header)[0].strip().lower(), _usable(charset[1]) if charset else None


def sniffed(content: bytes) -> str:
    """Guesses from the bytes of a page if it is PDF, HTML or text. Raises `RetrievalError` if none."""
    start = content[:_GLANCE]
    if start.startswith(b"%PDF-"):
        return "application/pdf"
    if _MARKUP.match(start):
        return "text/html"
    if _UNPRINTABLE.search(start):
        raise RetrievalError("the server does not name its type, and it does not look like a page")
    return "text/plain"


async def receive(response: httpx2.Response, most: int) -> PageBody:
    """Reads the body, at most `most` bytes of it, both as sent and as decompressed.

    Raises `RetrievalError` where it cannot be unpacked.
    """
    content = bytearray()
    try:
        async with aclosing(pieces(response, most)) as body:
            async for piece in body:
                content += piece
    except AnswerTooLongError:
        return PageBody(bytes(content), whole=False)
    except PackedError as error:
        raise RetrievalError(f"{error}: leave it out") from None
    return PageBody(bytes(content), whole=True)


def too_long(max_bytes: int) -> RetrievalError:
    """Builds the error for a page with more than `max_bytes`."""
    return RetrievalError(f"it is longer than {max_bytes:,} bytes: raise the limit, or leave it out")


def _usable(charset: str) -> str | None:
    try:
        " ".encode(charset)
        name = codecs.lookup(charset).name.replace("-", "_")
    except (LookupError, ValueError):
        return None
    return None if name in _NO_CHARSETS else charset.lower()


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"  # the standard phrase, not the server's text
    except ValueError:
        return str(status)


def _wait(response: httpx2.Response) -> str:
    wait = response.headers.get("Retry-After", "")
    if not wait:
        return "later"
    return f"in {shown(wait, 12)} s" if wait.isdecimal() else f"after {shown(wait, 40)}"
