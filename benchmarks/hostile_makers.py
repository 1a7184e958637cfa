"""Small pages that take very long to read, or all of the memory."""

import zlib
from collections.abc import Callable
from functools import partial

TEXT = "The peach is a fruit. It grows in Georgia, and in California as well. Many farmers plant it."
ORDINARY = (
    "<html><head><title>Fruit</title></head><body><article><h1>Peaches</h1>"
    + "".join(f"<p>{TEXT} It is number {number}.</p>" for number in range(20))
    + "</article></body></html>"
).encode()


def repeated(unit: str, size: int) -> bytes:
    return f"<html><body><article>{unit * (size // len(unit))}</article></body></html>".encode()


def attributes(size: int) -> bytes:
    return (
        b"<html><body><p "
        + b" ".join(b"a%d=1" % number for number in range(size // 8))
        + b">x</p></body></html>"
    )


def pdf(pages: int, content: bytes) -> bytes:
    """A PDF whose `pages` all share one stream."""
    packed = zlib.compress(content)
    kids = b" ".join(b"%d 0 R" % (5 + number) for number in range(pages))
    page = b"<</Type/Page/Parent 2 0 R/Contents 4 0 R/Resources<</Font<</F1 3 0 R>>>>>>"
    objects = [
        b"<</Type/Catalog/Pages 2 0 R>>",
        b"<</Type/Pages/Count %d/Kids[%s]>>" % (pages, kids),
        b"<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>",
        b"<</Length %d/Filter/FlateDecode>>\nstream\n%s\nendstream" % (len(packed), packed),
        *[page] * pages,
    ]
    pdf_bytes, places = b"%PDF-1.4\n", []
    for number, pdf_object in enumerate(objects, start=1):
        places.append(len(pdf_bytes))
        pdf_bytes += b"%d 0 obj\n%s\nendobj\n" % (number, pdf_object)
    table = b"".join(b"%010d 00000 n \n" % place for place in places)
    end = b"xref\n0 %d\n0000000000 65535 f \n%strailer\n<</Size %d/Root 1 0 R>>\nstartxref\n%d\n%%%%EOF"
    return pdf_bytes + end % (len(objects) + 1, table, len(objects) + 1, len(pdf_bytes))


SIZE = 4_900_000
"""Bytes of HTML, just under the most that is read."""
UNITS = {
    "headings": "<h2>a</h2>",
    "breaks": "<br>",
    "spans": "<span>a</span>",
    "links": "<a href=b>c</a>",
    "cells": "<table><tr><td>a",
    "items": "<ul><li>a",
    "nested": "<div><p>",
    "bold": "<b>a<i>b",
    "entities": "&lt;&#97;",
    "comments": "<!--a-->",
    "forms": "<form><input><select><option>",
    "quotes": "<blockquote>a",
}
HTML: dict[str, Callable[[], bytes]] = {
    "attributes": partial(attributes, SIZE),
    **{name: partial(repeated, unit, SIZE) for name, unit in UNITS.items()},
}
OTHER: dict[str, tuple[Callable[[], bytes], str]] = {
    "PDF": (partial(pdf, 5000, b"BT /F1 12 Tf (a) Tj ET " * 2000), "application/pdf"),
    "PDF of words": (partial(pdf, 5000, b"BT /F1 9 Tf (%s) Tj ET " % (b"word " * 9000)), "application/pdf"),
    "Markdown headings": (lambda: b"# a\n\n" * 900_000, "text/markdown"),
    "Markdown table": (lambda: b"| a |\n| - |\n" + b"| b |\n" * 300_000, "text/markdown"),
    "letters": (lambda: b"a" * 9_000_000, "text/plain"),
}
