"""Every fetch ends within its limits, with a page or with one harmless line, for any answer of a server."""

import asyncio
import gzip
import zlib

import pytest

from retrievers.fetches import CAP, PAGE, SHORT_S, fetch, refusal, refused, served
from retrievers.hostile import Hostile, Script, answer, forever, half_closed, moved, reset, silent

pytestmark = pytest.mark.loopback

HEAD = b"HTTP/1.1 200 OK\r\nContent-Type: text/html\r\n"
CHUNKED = HEAD + b"Transfer-Encoding: chunked\r\n\r\n"
GZIP = "Content-Encoding: gzip"


@pytest.mark.parametrize(
    ("content", "sent", "kind"),
    [
        (PAGE, "Text/HTML; Charset=ISO-8859-1", "text/html"),
        *((b"x", kind, kind) for kind in ("application/xhtml+xml", "text/plain", "application/pdf")),
        (b"x", "text/markdown;x", "text/markdown"),
        (b"%PDF-1.7 \x00", None, "application/pdf"),
        (b"\xef\xbb\xbf\n<!-- a --><!doctype HTML>", None, "text/html"),
        (b'<?xml version="1.0"?>\n<html>', None, "text/html"),
        ("Pfirsiche, süß".encode("latin-1"), None, "text/plain"),
        (b"<!---->" * 500, None, "text/plain"),
    ],
)
async def test_page_has_the_type_of_its_header_or_bytes(content: bytes, sent: str | None, kind: str) -> None:
    page = await served(answer(content, kind=sent))
    assert (page.content, page.media_type) == (content, kind)
    assert page.charset == ("iso-8859-1" if sent and "Charset" in sent else None)


async def slowly_moved(writer: asyncio.StreamWriter) -> None:
    await asyncio.sleep(SHORT_S / 2)
    writer.write(moved("/"))


@pytest.mark.parametrize(
    "script",
    [
        silent,
        slowly_moved,
        forever(HEAD + b"\r\n", b"x", 0.02),
        forever(b"HTTP/1.1 200 OK\r\n", b"X", 0.02),
        forever(b"", b"HTTP/1.1 100 Continue\r\n\r\n"),
    ],
)
async def test_answer_that_drips_times_out(script: Script) -> None:
    assert "took more than 0.3 s" in await refused(script, timeout_s=SHORT_S)


async def test_lookup_that_hangs_times_out() -> None:
    assert "took more than" in await refusal("http://site.org/", find=silent, timeout_s=SHORT_S)


TOO_LONG = [
    answer(b"x" * (CAP + 1)),
    HEAD + b"Content-Length: 10000000000\r\n\r\n",
    forever(HEAD + b"\r\n", b"x" * 10_000),
    forever(CHUNKED, b"2710\r\n" + b"x" * 10_000 + b"\r\n"),
    answer(gzip.compress(bytes(CAP + 1), mtime=0), GZIP),
    # A name in the head of what is packed, which unpacks to nothing.
    forever(HEAD + b"Content-Encoding: gzip\r\n\r\n\x1f\x8b\x08\x08\0\0\0\0\0\3", b"x" * 10_000),
]
BROKEN = [
    b"",
    b"nonsense\r\n\r\n",
    b"HTTP/1.1 9999 OK\r\n\r\n",
    b"HTTP/1.1 101 Switching Protocols\r\nUpgrade: h2c\r\nConnection: Upgrade\r\n\r\n",
    HEAD,
    HEAD + b"Content-Length: 100\r\n\r\n<html>",
    HEAD + b"X: a\x00b\r\n\r\nab",
    *(HEAD + b"Content-Length: %s\r\n\r\nab" % length for length in (b"-1", b"\xb2")),
    HEAD + b"Transfer-Encoding: x, chunked\r\n\r\n0\r\n\r\n",
    CHUNKED + b"5\r\nab",
    answer(PAGE, f"X: {'y' * 1_000_000}"),
    forever(HEAD, b"X: y\r\n" * 100),
    forever(HEAD + b"X: ", b"y" * 1000),
    forever(CHUNKED + b"5;", b"y" * 1000),
    forever(b"", b"\x1b[31m" * 1000),
    reset,
    half_closed,
]
UNPACKABLE = ["br", "zstd", "deflate", "gzip, gzip", "identity, gzip", "x" * 5000, "\x1b"]
FORBIDDEN = {
    "//169.254.169.254/latest/meta-data": "not a public one",
    "http://metadata.google.internal/": "local network",
    "http://u:p@site.org/": "password",
    "file:///etc/passwd": "only http and https",
    "\x1b[2J\xff" * 50: "",
    "": "more than 5 times",
}
STATUSES = ["204 No Content", "206 Partial Content", "300 Multiple Choices", "304 Not Modified", "999"]
STATUSES += ["404 Not Found", "429 Too Many Requests", "503 Service Unavailable"]
KINDS = ["image/png", "text", "text/html\x1b[2J", "x" * 5000, "image/png, text/html"]
UNKNOWN = [b"\x89PNG\r\n\x1a\n", b"\x00", b"PK\x03\x04", b"\x1f\x8b"]


def of_status(status: str) -> tuple[Script, str]:
    content = b"" if status[:3] in ("204", "304") else b"no"
    cure = "try again later" if status[:3] in ("429", "503") else "check the address"
    return answer(content, status=f"{status[:3]} \x1b]0;evil\x07"), f"it answered {status}: {cure}"


@pytest.mark.parametrize(
    ("script", "why"),
    [
        *((script, f"longer than {CAP:,} bytes") for script in TOO_LONG),
        *((script, "") for script in BROKEN),
        *map(of_status, STATUSES),
        *((forever(HEAD.replace(b"text/html", kind.encode()) + b"\r\n", PAGE), "are read") for kind in KINDS),
        *((answer(content, kind=None), "does not look like a page") for content in UNKNOWN),
        (answer(gzip.compress(PAGE)[:-1], GZIP), "gzip data"),
        *((answer(zlib.compress(bytes(50_000)), f"Content-Encoding: {coding}"), "") for coding in UNPACKABLE),
        *((answer(b"", kind=kind), "it is empty") for kind in (None, "text/html")),
        *((answer(b"", GZIP, kind=kind), "it is empty") for kind in (None, "text/html")),
        *((moved(there), why) for there, why in FORBIDDEN.items()),
    ],
)
async def test_answer_that_is_no_page_is_one_harmless_line(script: Script, why: str) -> None:
    assert why in await refused(script)


@pytest.mark.parametrize("status", ["301 x", "302 x", "303 x", "307 x", "308 x"])
async def test_every_kind_of_redirect_is_followed(status: str) -> None:
    async with Hostile({"/": moved("page?q#f", status), "/page?q": answer(PAGE)}) as server:
        assert (await fetch(server.url())).url == server.url("/page?q")


async def test_redirects_are_counted_and_carry_no_body_and_no_cookie() -> None:
    hops: dict[str, Script] = {f"/{i}": moved(f"/{i + 1}") for i in range(6)}
    async with Hostile({**hops, "/6": answer(PAGE)}) as server:
        assert "redirected more than 5 times" in await refusal(server.url("/0"))
        assert len(server.heads) == 6
    endless = forever(b"HTTP/1.1 302 Found\r\nLocation: /page\r\nSet-Cookie: a=b\r\n\r\n", b"x" * 10_000)
    async with Hostile({"/": endless, "/page": answer(PAGE)}) as server:
        assert (await fetch(server.url())).content == PAGE
    assert "cookie" not in "".join(server.heads).lower()
