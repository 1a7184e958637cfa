"""What may be taken from a server's answer: a page of a kind that can be read, and not too much of it."""

import codecs
import re
from contextlib import aclosing
from http import HTTPStatus
from typing import NamedTuple

import httpx2

from rarr.errors import RetrievalError
from rarr.retrievers.fetch.links import shown
from rarr.tools.guard.bounded_reader import PackedError, TooLongError, pieces

PAGE_TYPES = ("text/html", "application/xhtml+xml", "text/plain", "text/markdown", "application/pdf")
_REDIRECTS = (301, 302, 303, 307, 308)
_CHARSET = re.compile(r";\s*charset\s*=\s*[\"']?([\w.:+-]{1,40})", re.I | re.A)
# Python's own, which no page is written in; some raise what decoding does not expect.
_NO_CHARSETS = {
    *("idna", "mbcs", "oem", "punycode", "raw_unicode_escape", "undefined", "unicode_escape", "utf_7"),
}
# The + takes nothing back: else a row of comments could be cut up in ever so many ways.
_MARKUP = re.compile(
    rb"(?:\xef\xbb\xbf)?(?:\s|<!--.*?-->|<\?xml[^>]*>)*+<(?:!doctype html|html|head|body)\b",
    re.I | re.S,
)
_UNPRINTABLE = re.compile(rb"[\x00-\x08\x0e-\x1a\x1c-\x1f]")
_GLANCE = 4096  # bytes


class Body(NamedTuple):
    """What was read of a body, unpacked; `whole`: there is no more."""

    content: bytes
    whole: bool


def redirect(response: httpx2.Response) -> str | None:
    """Where the server sends for the page; None where it does not."""
    return response.headers.get("Location") if response.status_code in _REDIRECTS else None


def require_page(response: httpx2.Response, max_bytes: int) -> None:
    """Raises `RetrievalError` unless a page of a kind that can be read follows."""
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
    """The media type that the head gives, or "", and the character set, or None where it is not known."""
    header = response.headers.get("Content-Type", "")
    charset = _CHARSET.search(header)
    return re.split("[;,]", header)[0].strip().lower(), _known(charset[1]) if charset else None


def sniffed(content: bytes) -> str:
    """The media type of a page that came without one. Raises `RetrievalError` where it looks like none."""
    start = content[:_GLANCE]
    if start.startswith(b"%PDF-"):
        return "application/pdf"
    if _MARKUP.match(start):
        return "text/html"
    if _UNPRINTABLE.search(start):
        raise RetrievalError("the server does not say what it is, and it looks like no page")
    return "text/plain"


async def receive(response: httpx2.Response, most: int) -> Body:
    """The body, at most `most` bytes of it as they are sent and as they are unpacked.

    Raises `RetrievalError` where it cannot be unpacked.
    """
    content = bytearray()
    try:
        async with aclosing(pieces(response, most)) as body:
            async for piece in body:
                content += piece
    except TooLongError:
        return Body(bytes(content), whole=False)
    except PackedError as error:
        raise RetrievalError(f"{error}: leave it out") from None
    return Body(bytes(content), whole=True)


def too_long(max_bytes: int) -> RetrievalError:
    """What is said of a page with more than `max_bytes`."""
    return RetrievalError(f"it is longer than {max_bytes:,} bytes: raise the limit, or leave it out")


def _known(charset: str) -> str | None:
    try:
        " ".encode(charset)
        name = codecs.lookup(charset).name.replace("-", "_")
    except (LookupError, ValueError):
        return None
    return None if name in _NO_CHARSETS else charset.lower()


def _named(status: int) -> str:
    try:
        return f"{status} {HTTPStatus(status).phrase}"  # ours, not what the server makes of it
    except ValueError:
        return str(status)


def _wait(response: httpx2.Response) -> str:
    wait = response.headers.get("Retry-After", "")
    if not wait:
        return "later"
    return f"in {shown(wait, 12)} s" if wait.isdecimal() else f"after {shown(wait, 40)}"
