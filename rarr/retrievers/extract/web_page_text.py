"""Reads the main text of web pages as Markdown: headings marked, blocks apart, tables kept as tables.

Pages are read in a worker process (see `limited_calls`), which turns any error of a parser into a reason.
"""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rarr.retrievers.extract.extracted_document import Complain, Document, UnreadableError, decode, published
from rarr.retrievers.extract.pdf_and_office import markdown_table, read_pdf
from rarr.valid_unicode import valid

_MOST_BYTES = 5_000_000  # of HTML, twenty times a long article: hostile pages take ever more time
_MOST_CHARACTERS = 2_000_000  # of text in one page: the length of a thick book
_DECLARED = re.compile(rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?([\w.:-]{1,40})", re.I)
_BLOCKS = ("head", "p", "item", "quote", "code", "table")
_BREAKS = {"p", "item", "lb", "row", "cell"}
_RAISED = str.maketrans("0123456789", "⁰¹²³⁴⁵⁶⁷⁸⁹")
_NOTE = re.compile(r"\[?\w{1,4}\]?")
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^)\s]{0,2000}\)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,500})\]\((?:https?:|/|#|mailto:)[^)\n]{0,2000}\)")


def extract_page(content: bytes, media_type: str, charset: str | None) -> Document:
    """Extracts the main text of a fetched page by `media_type`; bytes that begin as a PDF are read as a PDF.

    Markdown is left without images and the addresses of links. Raises `UnreadableError`, with the reason as
    message, if the page has no text or too much text.
    """
    # Some servers label everything that they send as HTML.
    if content[:5].lower() == b"%pdf-" or media_type == "application/pdf":
        page = Document(*read_pdf(content, _MOST_CHARACTERS))
    elif media_type in ("text/html", "application/xhtml+xml"):
        if len(content) > _MOST_BYTES:
            raise UnreadableError(f"its HTML is longer than {_MOST_BYTES // 1_000_000} MB")
        page = read_page(content, charset)
    elif media_type == "text/markdown":
        page = Document(_LINK.sub(r"\1", _IMAGE.sub("", decode(content, charset))).strip())
    else:
        page = Document(decode(content, charset))
    if not page.text.strip():
        raise UnreadableError("it holds no text (a scan has none without OCR)")
    if len(page.text) > _MOST_CHARACTERS:
        raise UnreadableError(f"its text is longer than {_MOST_CHARACTERS:,} characters")
    return replace(page, text=valid(page.text), title=valid(page.title))


def read_page(
    data: bytes, charset: str | None = None, *, is_own: bool = False, complain: Complain = lambda _: None
) -> Document:
    """Extracts the main text of the HTML in `data`, which may be empty.

    `charset` is the encoding that the server named; it goes before the encoding that the page names itself.
    `is_own`: it is a file of the user, of which short lists and headings are kept too; of a page of the web
    they are often menus. If the encoding has to be guessed, the guess is reported to `complain`.
    """
    import trafilatura  # takes half a second to import

    declared = _DECLARED.search(data[:4096])
    html = decode(data, charset or (declared[1].decode("ascii") if declared else None), complain)
    if "<body" not in html.lower():  # trafilatura reads nothing in a fragment of one element
        html = f"<html><body>{html}</body></html>"
    options: dict[str, Any] = {"with_metadata": True, "include_comments": False}
    if is_own:
        config = trafilatura.settings.use_config()
        config.set("DEFAULT", "MIN_EXTRACTED_SIZE", "1")
        options |= {"favor_recall": True, "config": config}
    page = trafilatura.bare_extraction(_simplified(html), **options)
    if page is None:  # too short to tell the main text from the rest, so all text is taken
        return Document(_text(trafilatura.baseline(_simplified(html))[0]))
    facts = page if isinstance(page, dict) else page.as_dict()
    return Document(_text(facts["body"]), facts["title"] or "", published_at=published(facts["date"]))


def _simplified(html: str) -> Any:
    """Parses a page and writes in plain text what trafilatura reads wrongly: raised notes, lists in cells.

    A note becomes ³, or [3] if it is a link; a raised word such as "th" stays.
    """
    import trafilatura

    tree = trafilatura.load_html(html)
    if tree is None:
        return html
    for raised in tree.xpath("//sup"):
        note = "".join(raised.text_content().split())
        if note.isascii() and note.isdigit() and not raised.xpath(".//a"):
            note = note.translate(_RAISED)
        elif _NOTE.fullmatch(note) and (note.startswith("[") or raised.xpath(".//a")):
            note = f"[{note.strip('[]')}]"
        else:
            continue
        del raised[:]
        raised.text = note
        raised.drop_tag()
    for item in tree.xpath("//td//li | //th//li"):
        item.text = f" {item.text or ''}"
        item.tail = "; " if item.getnext() is not None else " "
        item.drop_tag()
    for made in tree.xpath("//td//ul | //td//ol | //th//ul | //th//ol"):
        made.drop_tag()
    return tree


def _text(body: Any) -> str:
    """Writes the blocks of a body from trafilatura as Markdown; an inner block is part of the outer one."""
    outer = (
        element
        for element in (body.iter(*_BLOCKS) if body is not None else ())
        if next(element.iterancestors(*_BLOCKS), None) is None
    )
    return "\n\n".join(filter(None, map(_block, outer)))


def _block(element: Any) -> str:
    if element.tag == "table":
        return markdown_table([_words(cell) for cell in row.iter("cell")] for row in element.iter("row"))
    if element.tag == "code":
        return f"```\n{''.join(element.itertext())}\n```"
    words = _words(element)
    if words and element.tag == "head":
        level = re.fullmatch("h([1-6])", str(element.get("rend", "")))
        return f"{'#' * int(level[1] if level else 2)} {words}"
    return words


def _words(element: Any) -> str:
    return " ".join("".join(_pieces(element)).split())


def _pieces(element: Any) -> Iterator[str]:
    """Yields the text in an element. A block inside it ends a word; inline markup does not."""
    yield element.text or ""
    for child in element:
        gap = " " if child.tag in _BREAKS else ""
        yield from (gap, *_pieces(child), gap, child.tail or "")
