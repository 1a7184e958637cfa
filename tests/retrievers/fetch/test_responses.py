import gzip
import zlib

import pytest

from retrievers.fetches import PAGE, refused, served
from retrievers.hostile import answer, forever

loopback = pytest.mark.loopback


@pytest.mark.parametrize(
    "kind", ["application/xhtml+xml", "text/plain", "text/markdown;x", "application/pdf"]
)
@loopback
async def test_fetch_accepts_every_content_type_of_pages(kind: str) -> None:
    assert (await served(answer(b"x", kind=kind))).media_type == kind.partition(";")[0]


@pytest.mark.parametrize(
    ("content", "kind"),
    [
        (b"%PDF-1.7 \x00", "application/pdf"),
        (b"\xef\xbb\xbf\n<!-- a --><!doctype HTML>", "text/html"),
        (b'<?xml version="1.0"?>\n<html>', "text/html"),
        ("Pfirsiche, süß".encode("latin-1"), "text/plain"),
        (b"<!---->" * 500, "text/plain"),
    ],
)
@loopback
async def test_fetch_detects_the_type_of_a_page_from_its_bytes(content: bytes, kind: str) -> None:
    assert (await served(answer(content, kind=None))).media_type == kind


PACKED = gzip.compress(b"<p>One, two.</p>", mtime=0) + b"\0" * 512


@pytest.mark.parametrize("packed", [PACKED[:-513], PACKED[:20], PACKED + PACKED, PACKED + b"<p>"])
@loopback
async def test_fetch_of_cut_or_continued_gzip_data_is_refused(packed: bytes) -> None:
    assert "gzip data" in await refused(answer(packed, "Content-Encoding: gzip"))


@pytest.mark.parametrize(
    "coding", ["br", "zstd", "deflate", "gzip, gzip", "identity, gzip", "x" * 5000, "\x1b"]
)
@loopback
async def test_fetch_of_an_unrequested_encoding_is_refused(coding: str) -> None:
    packed = zlib.compress(bytes(50_000))
    await refused(answer(packed, f"Content-Encoding: {coding}"))


STATUSES = ["204 No Content", "206 Partial Content", "300 Multiple Choices", "304 Not Modified", "999"]
STATUSES += ["401 Unauthorized", "403 Forbidden", "404 Not Found", "410 Gone", "500 Internal Server Error"]


@pytest.mark.parametrize("status", [*STATUSES, "429 Too Many Requests", "503 Service Unavailable"])
@loopback
async def test_fetch_of_an_error_status_is_an_error(status: str) -> None:
    sent = answer(b"" if status[:3] in ("204", "304") else b"no", status=f"{status[:3]} \x1b]0;evil\x07")
    cure = "try again later" if status[:3] in ("429", "503") else "check the address, or leave it out"
    assert (await refused(sent)).endswith(f"it answered {status}: {cure}")


@pytest.mark.parametrize(
    "kind",
    [
        *("image/png", "application/octet-stream", "application/json", "text/css", "video/mp4", "text"),
        *("multipart/mixed", "text/html\x1b[2J", "x" * 5000, "text/html2", "image/png, text/html"),
    ],
)
@loopback
async def test_fetch_of_another_content_type_is_refused(kind: str) -> None:
    endless = forever(f"HTTP/1.1 200 OK\r\nContent-Type: {kind}\r\n\r\n".encode("latin-1"), PAGE)
    await refused(endless, max_bytes=10_000_000_000)


@pytest.mark.parametrize("content", [b"\x89PNG\r\n\x1a\n", b"\x00", b"PK\x03\x04", b"\x1f\x8b"])
@loopback
async def test_fetch_of_bytes_that_look_like_no_page_is_refused(content: bytes) -> None:
    assert "does not look like a page" in await refused(answer(content, kind=None))


@pytest.mark.parametrize("head", [[], ["Content-Encoding: gzip"]])
@loopback
async def test_fetch_of_an_empty_page_is_an_error(head: list[str]) -> None:
    assert "it is empty" in await refused(answer(b"", *head))
    assert "it is empty" in await refused(answer(b"", *head, kind=None))
