"""Checks that a server's response is a readable page, and reads its body up to a limit of bytes."""

import re
from contextlib import aclosing
from http import HTTPStatus

import httpx2

from rarr.errors import RetrievalError
from rarr.tools.guard.bounded_http_client import AnswerTooLongError, PackedError, pieces
from rarr.tools.text.wording import shown

PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", "application/pdf")
_REDIRECTS = (301, 302, 303, 307, 308)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.I | re.A)
# The possessive + prevents backtracking: a row of comments could be split in very many ways.
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?xml[^>]*>)*+<(?:!doctype html|html|head|body)\b",
    re.I | re.S,
)
_UNPRINTABLE = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_GLANCE = 4096  # bytes


def redirect(response: httpx2.Response) -> str | None:
    """Returns the address to which the server redirects; None if the response is no redirect."""
    return response.headers.get("Location") if response.status_code in _REDIRECTS else None


def require_page(response: httpx2.Response, max_bytes: int) -> None:
    """Raises `RetrievalError` unless status, media type and length are those of a page to read."""
    status = response.status_code
    if status not in (200, 203):
        # The standard phrase, not the server's text.
        phrase = next((f" {known.phrase}" for known in HTTPStatus if known == status), "")
        cure = "try again later" if status in (429, 503) else "check the address, or leave it out"
        raise RetrievalError(f"it answered {status}{phrase}: {cure}")
    if declared(response)[0] not in ("", *PAGE_TYPES):
        raise RetrievalError(
            f"it is {shown(declared(response)[0], 60)}, and only {', '.join(PAGE_TYPES)} are read"
        )
    length = response.headers.get("Content-Length", "")
    if length.isdecimal() and len(length) < 20 and int(length) > max_bytes:
        raise _too_long(max_bytes)


def declared(response: httpx2.Response) -> tuple[str, str | None]:
    """Reads the header Content-Type: the media type ("" if none) and the name of the character set."""
    header = response.headers.get("Content-Type", "")
    charset = _CHARSET.search(header)
    return re.split("[;,]", header)[0].strip().lower(), charset[1].lower() if charset else None


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


async def receive(response: httpx2.Response, most: int, *, cut: bool = False) -> bytes:
    """Reads the body, decompressed, of at most `most` bytes as sent and as decompressed.

    Raises `RetrievalError` where it cannot be unpacked, and where it is longer, unless it may be `cut`.
    """
    content = bytearray()
    try:
        async with aclosing(pieces(response, most)) as body:
            async for piece in body:
                content += piece
    except AnswerTooLongError:
        if not cut:
            raise _too_long(most) from None
    except PackedError as error:
        raise RetrievalError(f"{error}: leave it out") from None
    return bytes(content)


def _too_long(max_bytes: int) -> RetrievalError:
    return RetrievalError(f"it is longer than {max_bytes:,} bytes: raise the limit, or leave it out")
