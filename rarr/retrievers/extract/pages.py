"""Reads pages of HTML as Markdown: the main text of a web page, or the whole text of a user's file."""

import re
from collections.abc import Iterator
from dataclasses import replace
from typing import Any

from rarr.retrievers.extract import documents
from rarr.retrievers.extract.documents import Complain, Document, UnreadableError, decode, joined_words
from rarr.valid_unicode import valid

_MOST_HTML_BYTES = 5_000_000  # twenty times a long article: a longer hostile page would take too long
_MOST_CHARACTERS = 2_000_000  # of the text of one page: the length of a thick book
_ENCODING = re.compile(rb"<(?:meta|\?xml)[^>]{0,200}?(?:charset|encoding)\s*=\s*[\"']?([\w.:-]{1,40})", re.I)
_NO_TEXT = (
    "//button|//head|//iframe|//nav|//noscript|//script|//select|//style|//*[local-name()='svg']|//template"
)
_BLOCK = re.compile(
    "address|article|aside|blockquote|body|caption|d[dlt]|details|div|fieldset|fig(?:caption|ure)|footer|form"
    "|h[1-6r]|header|li|main|[ou]l|p|section|summary|table"
)
_BLOCK_MARKS = {"li": "- ", "dd": "- ", "blockquote": "> "} | {f"h{it}": f"{'#' * it} " for it in range(1, 7)}
_ITEMS = re.compile(r"^(- .*\n)\n(?=- )", re.MULTILINE)
_REGEX = {"re": "http://exslt.org/regular-expressions"}
_HIDDEN_BY_STYLE = (
    r"text-decoration(-line)?\s*:[^;]*line-through|(content-)?visibility\s*:\s*(hidden|collapse)"
    r"|display\s*:\s*none|(opacity|font-size)\s*:\s*0+(\.0+)?\s*(%|[a-z]+)?\s*(;|$|!)"
)
_HIDDEN = f"//del|//s|//strike|//body//*[@hidden or re:test(@style, '(^|;)\\s*({_HIDDEN_BY_STYLE})', 'i')]"
_LOWERED_NUMBERS = "//sub[not(*)][re:test(preceding-sibling::node()[1][self::text()], '[0-9]$')]"
_NOTE_MARK = re.compile(r"\[?\w{1,4}\]?")
_IMAGE = re.compile(r"!\[[^\]\n]{0,500}\]\([^)\s]{0,2000}\)")
_LINK = re.compile(r"(?<!!)\[([^\]\n]{1,500})\]\((?:https?:|/|#|mailto:)[^)\n]{0,2000}\)")


def extract_page(content: bytes, media_type: str, charset: str | None) -> Document:
    """Extracts the main text of a page of type `media_type`. Bytes that begin like a PDF are read as PDF.

    From a page in Markdown, removes images and the addresses of links. Raises `UnreadableError`, with the
    reason as message, if the page has no text or too much text.
    """
    # Some servers label everything that they send as HTML.
    if content[:5].lower() == b"%pdf-" or media_type == "application/pdf":
        page = documents.read_pdf(content)
    elif media_type in ("text/html", "application/xhtml+xml"):
        if len(content) > _MOST_HTML_BYTES:
            raise UnreadableError(f"its HTML is longer than {_MOST_HTML_BYTES // documents.MEGABYTE} MB")
        page = read_html(content, charset)
    elif media_type == "text/markdown":
        page = Document(_LINK.sub(r"\1", _IMAGE.sub("", decode(content, charset))).strip())
    else:
        page = Document(decode(content, charset))
    if not page.text.strip():
        raise UnreadableError("it holds no text (a scan needs OCR)")
    if len(page.text) > _MOST_CHARACTERS:
        raise UnreadableError(f"its text is longer than {_MOST_CHARACTERS:,} characters")
    return replace(page, text=valid(page.text), title=valid(page.title))


def read_html(
    data: bytes, charset: str | None = None, *, is_own: bool = False, complain: Complain = lambda _: None
) -> Document:
    """Extracts the main text of the HTML in `data`. The text may be empty.

    `charset` is the encoding that the server named; it has priority over the encoding that the page names.
    If `is_own` (a file of the user), reads the whole text. Tells `complain` about a guessed encoding.
    """
    import trafilatura  # takes half a second to import
    from trafilatura.htmlprocessing import convert_to_html

    declared = _ENCODING.search(data[:4096])
    html = decode(data, charset or (declared[1].decode("ascii") if declared else None), complain)
    if "<body" not in html.lower():  # trafilatura reads nothing in a fragment of one element
        html = f"<html><body>{html}</body></html>"
    page: Any = None
    if not is_own:
        page = trafilatura.bare_extraction(_simplified_tree(html), with_metadata=True, include_comments=False)
    # Without a main text (as in a very short page), the whole page is read.
    body = convert_to_html(page.body) if page else _simplified_tree(html)
    page = page or trafilatura.extract_metadata(body)
    for gone in body.xpath(_NO_TEXT):
        gone[:], gone.text = [], None
    for end in body.iter("br"):
        end.tail = f" {end.tail or ''}"
    text = _ITEMS.sub(r"\1", "\n\n".join(filter(None, _page_blocks(body))))
    return Document(text, page.title or "", published_at=documents.parsed_date(page.date))


def _simplified_tree(html: str) -> Any:
    """Parses a page. Removes hidden text. Raised numbers and notes, and lists in cells, become plain text."""
    import trafilatura

    tree: Any = trafilatura.load_html(html)
    if tree is None:  # a page without any text
        return trafilatura.load_html("<html><body><p></p></body></html>")
    for unseen in tree.xpath(_HIDDEN, namespaces=_REGEX):
        unseen[:], unseen.text = [], None  # an empty cell stays in its column
    for raised in tree.xpath("//sup"):
        note = "".join(raised.text_content().split())
        if documents.EXPONENT.fullmatch(note) and not raised.xpath(".//a"):
            note = note.translate(documents.RAISED)
        elif _NOTE_MARK.fullmatch(note) and (note.startswith("[") or raised.xpath(".//a")):
            note = f"[{note.strip('[]')}]"
        else:  # no number and no note, such as the "th" of 4th
            continue
        raised[:], raised.text = [], note
        raised.drop_tag()
    for lowered in tree.xpath(_LOWERED_NUMBERS, namespaces=_REGEX):
        lowered.text = (lowered.text or "").translate(documents.LOWERED)
    for item in tree.xpath("//td//li | //th//li"):
        item.text = f" {item.text or ''}"
        item.tail = "; " if item.getnext() is not None else " "
        item.drop_tag()
    for made in tree.xpath("//td//ul | //td//ol | //th//ul | //th//ol"):
        made.drop_tag()
    return tree


def _page_blocks(element: Any, mark: str = "") -> Iterator[str]:
    """Yields the blocks of an element as Markdown; a block may be "". A block begins with `mark`."""
    if element.tag in ("table", "pre"):
        yield from (joined_words("".join(caption.itertext())) for caption in element.iterchildren("caption"))
        yield _write_table(element) if element.tag == "table" else f"```\n{''.join(element.itertext())}\n```"
        return
    mark, words = _BLOCK_MARKS.get(element.tag, mark), element.text or ""
    for child in element.iterchildren("*"):
        # trafilatura writes inline code as `pre` too
        is_code = child.tag == "pre" and (element.tag not in ("p", "li") or "\n" in "".join(child.itertext()))
        if is_code or any(_BLOCK.fullmatch(it.tag) for it in child.iter("*")):
            yield _marked_words(mark, words, element.tag)
            yield from _page_blocks(child, mark)
            words = ""
        else:
            words += "".join(child.itertext())
        words += child.tail or ""
    yield _marked_words(mark, words, element.tag)


def _marked_words(mark: str, text: str, tag: str) -> str:
    words = joined_words(text)
    return f"{mark}{words}{':' * (tag == 'dt' and not words.endswith(':'))}" if words else ""


def _write_table(element: Any) -> str:
    """Writes a table as Markdown. The words of a cell that spans several rows are in each of these rows."""
    for inner in element.iter("p", "div", "tr", "td", "th"):  # these elements end a word
        inner.text, inner.tail = f" {inner.text or ''}", f" {inner.tail or ''}"
    rows, below = list[list[str]](), dict[int, tuple[int, str]]()  # column: (further rows, words)
    for row in element.xpath("./tr | ./*[self::thead or self::tbody or self::tfoot]/tr"):
        cells = list[str]()
        for cell in [*row.iterchildren("td", "th"), None]:
            while (column := len(cells)) in below:
                left, words = below.pop(column)
                cells.append(words)
                below |= {column: (left - 1, words)} if left > 1 else {}
            if cell is not None:
                words, height = "".join(cell.itertext()), _span_count(cell, "rowspan")
                cells += [words, *[""] * (_span_count(cell, "colspan") - 1)]
                below |= {at: (height - 1, cells[at]) for at in range(column, len(cells)) if height > 1}
        rows.append(cells)
    return documents.markdown_table(rows)


def _span_count(cell: Any, name: str) -> int:
    number = re.fullmatch("[1-9][0-9]{0,3}", cell.get(name, "1"))
    return min(int(number[0]), documents.MOST_SPANNED) if number else 1
