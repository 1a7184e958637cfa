"""Decodes text, reads rows with long cells, and reads PDFs and files of Word as Markdown.

Pages of HTML (see `pages`), PDFs and files of Word are read in a worker process (see `limited_calls`), which
turns any error of a parser into an `UnreadableError`.
"""

import codecs
import csv
import io
import re
import threading
import zipfile
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import suppress
from dataclasses import dataclass
from datetime import UTC, datetime
from email.utils import parsedate_to_datetime
from functools import partial
from typing import Any, BinaryIO, TypeVar

from rarr.settings.reading import parse_moment
from rarr.tools.text.language_detection import text_language

Row = TypeVar("Row")
Complain = Callable[[str], None]
"""A function that gets a message about an unreadable part of a file, or about a guessed encoding."""

MEGABYTE = 1_000_000
"""The number of bytes in a megabyte."""


@dataclass(frozen=True, slots=True)
class Document:
    """A text to search, or a part of a long text. `start`: the offset of the part in the long text.

    `source`: the address that a record in a file names, or "". `item`: the number of the record (an item or
    line) in its file, counted from 1; 0 if the document is the whole file.
    """

    text: str
    title: str = ""
    source: str = ""
    item: int = 0
    published_at: datetime | None = None
    start: int = 0


class UnreadableError(Exception):
    """A file or page cannot be read, and is skipped. If `lasting` is True, another try would fail too."""

    def __init__(self, reason: str, *, lasting: bool = True) -> None:
        super().__init__(reason)
        self.lasting = lasting


def parsed_date(value: object) -> datetime | None:
    """Parses a year, month, day, ISO 8601 time or mail date; else None. A time without a zone is in UTC."""
    for parse in (parse_moment, datetime.fromisoformat, parsedate_to_datetime):
        with suppress(ValueError, OverflowError, RecursionError):
            parsed = parse(str(value).strip())
            return parsed if parsed.tzinfo else parsed.replace(tzinfo=UTC)
    return None


_cell_limit_lock = threading.Lock()
# UTF-32 stands before UTF-16, because the mark of UTF-32 begins with the mark of UTF-16.
_BYTE_ORDER_MARKS = {
    "utf-8-sig": (codecs.BOM_UTF8,),
    "utf-32": (codecs.BOM_UTF32_LE, codecs.BOM_UTF32_BE),
    "utf-16": (codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE),
}
_SAMPLE_BYTES = 65_536  # an encoding is guessed from these first bytes, since guessing is slow
# A text in cp1252 has no control characters, no signs inside words, no three accented letters in a row.
_NOT_WESTERN = re.compile("[\0-\x08\x0e-\x1f\ufffd]|[À-ÿ]{3}|(?<=[^\\W\\d_])[¡-©«-´¶-¹»-¿×÷](?=[^\\W\\d_])")
_OTHER_LANGUAGES = ("pl", "cs", "hu", "ro", "tr", "vi")  # not written in cp1252
_PIECE_BYTES = 4 * MEGABYTE  # bytes that are read at once


def decode(data: bytes, declared: str | None = None, complain: Complain = lambda _: None) -> str:
    """Decodes `data` into a text, as `decoded_pieces` decodes a file."""
    return "".join(decoded_pieces(io.BytesIO(data), declared, complain))


def decoded_pieces(
    file: BinaryIO, declared: str | None = None, complain: Complain = lambda _: None
) -> Iterator[str]:
    """Yields the text of a file in pieces. The byte order mark at the start of the file tells the encoding.

    Without a mark, tries UTF-8, then the encoding `declared`. If these fail, guesses the encoding, and calls
    `complain` with a message about the guess. Raises `UnreadableError` if the file is not text.
    """
    first = file.read(_SAMPLE_BYTES)
    marked = [encoding for encoding, marks in _BYTE_ORDER_MARKS.items() if first.startswith(marks)]
    for encoding in marked[:1] or filter(None, ["utf-8", declared]):
        with suppress(LookupError, ValueError):
            if all("\0" not in piece for piece in _decode_in_pieces(file, encoding, "strict")):
                return _decode_in_pieces(file, encoding, "strict")
            break  # a NUL character: this is no text
    from charset_normalizer import from_bytes  # slow to import, and few files need it

    western = first.decode("cp1252", "replace")
    if not _NOT_WESTERN.search(western) and text_language(western) not in _OTHER_LANGUAGES:
        encoding = "cp1252"  # the guesser often misses it, even in French
    elif (guess := None if b"\0" in first else from_bytes(first).best()) is not None:
        encoding = guess.encoding
    else:
        raise UnreadableError("it is not text in a known encoding: save it as UTF-8")
    complain(f"read as {encoding}, since it is not UTF-8: save it as UTF-8 if its words look wrong")
    return _decode_in_pieces(file, encoding, "replace")


def _decode_in_pieces(file: BinaryIO, encoding: str, errors: str) -> Iterator[str]:
    file.seek(0)
    return codecs.iterdecode(iter(partial(file.read, _PIECE_BYTES), b""), encoding, errors)


MOST_SPANNED = 100  # the most columns or rows of one cell
RAISED = str.maketrans("0123456789+-−", "⁰¹²³⁴⁵⁶⁷⁸⁹⁺⁻⁻")
LOWERED = str.maketrans("0123456789+-−", "₀₁₂₃₄₅₆₇₈₉₊₋₋")
EXPONENT = re.compile(r"[+−-]?[0-9]+")


MOST_UNPACKED = 300_000_000  # bytes: a file of Word is an archive
_HYPHENATED = re.compile(r"(\w+)(?:-|\u00ad)[ \t]*\r?\n[ \t]*([a-zà-öø-ÿ]\w*)")
_KEEPS_HYPHEN = frozenset({"non", "self", "ex"})
_NO_TITLE = re.compile(r"untitled\W*\d*|document\d*|microsoft (?:word|powerpoint) - .*", re.IGNORECASE)


def read_pdf(data: bytes) -> Document:
    """Reads the text and the title ("" without a title) of a PDF. A damaged PDF may raise any error."""
    import pypdf  # takes long to import

    reader = pypdf.PdfReader(io.BytesIO(data))
    text = "\n\n".join(page.extract_text() for page in reader.pages)
    title = str((reader.metadata.title if reader.metadata else None) or "").strip()
    return Document(_without_hyphenation(text), "" if _NO_TITLE.fullmatch(title) else title)


def _without_hyphenation(text: str) -> str:
    """Joins the halves of a word that a line end divides. Keeps a hyphen that the word has elsewhere."""
    words = set(re.findall(r"\w+(?:-\w+)*", text.casefold()))

    def joined(match: re.Match[str]) -> str:
        first, second = match.groups()
        plain, hyphened = (f"{first}{mark}{second}".casefold() for mark in ("", "-"))
        keeps = hyphened in words or first.casefold() in _KEEPS_HYPHEN or first[-1].isdigit()
        return f"{first}-{second}" if keeps and plain not in words else first + second

    return _HYPHENATED.sub(joined, text)


# XPath of what is not read: tracked deletions, tab stops, and copies of text for older programs.
_SKIP = "ancestor::w:del or ancestor::w:moveFrom or ancestor::w:pPr or ancestor::*[local-name() = 'Fallback']"
_WORD_BLOCKS = f".//*[self::w:p or self::w:tbl][not(ancestor::w:p or ancestor::w:tbl)][not({_SKIP})]"
_WORD_MARKS = " or ".join(f"self::w:{tag}" for tag in ("t", "noBreakHyphen", "tab", "br", "cr", "p"))
_WORD_PIECES = f".//*[{_WORD_MARKS}][not({_SKIP})]"
_ROWS = ".//w:tr[count(ancestor::w:tbl) = 1][not(w:trPr/w:del)]"
_CELLS = ".//w:tc[count(ancestor::w:tbl) = 1]"
_RAISED_OR_LOWERED = ".//w:r[w:rPr/w:vertAlign/@w:val = '{}script' or w:rPr/w:position/@w:val {} 0]/w:t"
_HIDING = "w:rPr/*[self::w:strike or self::w:dstrike or self::w:vanish]"


def read_docx(data: bytes) -> Document:
    """Reads the paragraphs, the tables and the title ("" without a title) of a file of Word.

    The text of a text box becomes a part of its paragraph. A damaged file may raise any error.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:  # unpacking stops at these sizes
        unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > MOST_UNPACKED:
        raise UnreadableError(f"it unpacks to more than {MOST_UNPACKED // MEGABYTE} MB: split it")
    try:
        import docx
        from docx.text.paragraph import Paragraph
    except ImportError as error:
        raise UnreadableError('it needs a package: pip install "rarr[office]"', lasting=False) from error
    letter, blocks = docx.Document(io.BytesIO(data)), list[str]()
    styles = {style.styleId: style for style in letter.styles.element.xpath("w:style")}
    runs = ".//w:r" if any(it.xpath(_HIDING) for it in styles.values()) else f".//w:r[{_HIDING}]"
    for run in letter.element.body.xpath(runs):
        if any(_hiding_effects(run, styles).values()):
            for text in run.xpath("w:t"):
                text.text = ""
    _raise_and_lower_numbers(letter.element.body)
    for element in letter.element.body.xpath(_WORD_BLOCKS):
        if element.tag.endswith("}tbl"):
            blocks.append(markdown_table(_table_rows(element)))
        else:
            style = Paragraph(element, letter._body).style
            blocks.append(_with_mark(joined_words(_text_of(element)), (style.name or "") if style else ""))
    heading = next((block.lstrip("# ") for block in blocks if block.startswith("#")), "")
    return Document("\n\n".join(filter(None, blocks)), (letter.core_properties.title or heading).strip())


def _raise_and_lower_numbers(body: Any) -> None:
    """Writes raised numbers with signs such as ⁶ (10⁶ is not 106), and lowered numbers after a digit as ₂."""
    for digits, shifted, sign in ((RAISED, "super", ">"), (LOWERED, "sub", "<")):
        for text in body.xpath(_RAISED_OR_LOWERED.format(shifted, sign)):
            before = text.xpath("string(../preceding-sibling::w:r[1]/w:t[last()])")[-1:]
            if EXPONENT.fullmatch((text.text or "").strip()) and (sign == ">" or before.isdigit()):
                text.text = text.text.translate(digits)


def _hiding_effects(element: Any, styles: Mapping[str, Any], depth: int = 10) -> dict[str, bool]:
    """Maps each effect that hides or strikes out a run (part of a paragraph) to whether it is on."""
    effects = dict[str, bool]()
    for name in element.xpath("(ancestor::w:p[1]/w:pPr/w:pStyle | w:rPr/w:rStyle | w:basedOn)/@w:val"):
        if depth and name in styles:  # styles may be based on each other in a circle
            effects |= _hiding_effects(styles[name], styles, depth - 1)
    return effects | {effect.tag: effect.val for effect in element.xpath(_HIDING)}


def _text_of(element: Any) -> str:
    """Returns the text of an element. A tab, a break and the end of a paragraph become spaces."""
    tags = ((piece.tag.rpartition("}")[2], piece.text or "") for piece in element.xpath(_WORD_PIECES))
    return "".join({"t": text, "noBreakHyphen": "-"}.get(tag, " ") for tag, text in tags)


def _table_rows(table: Any) -> Iterator[list[str]]:
    """Yields the cells of each row. The words of a cell that spans several rows are in each of these rows."""
    above: list[str] = []
    for row in table.xpath(_ROWS):
        cells: list[str] = []
        for cell in row.xpath(_CELLS):
            goes_on = cell.xpath("w:tcPr/w:vMerge[not(@w:val = 'restart')]")
            words = above[len(cells)] if goes_on and len(cells) < len(above) else _text_of(cell)
            spanned = min(int((cell.xpath("w:tcPr/w:gridSpan/@w:val") or [1])[0]), MOST_SPANNED)
            cells += [words, *[""] * (spanned - 1)]
        above = cells
        yield cells


def _with_mark(words: str, style: str) -> str:
    kind, _, level = style.replace("Title", "Heading 1").rpartition(" ")
    is_heading = kind == "Heading" and level.isdecimal()
    mark = f"{'#' * min(int(level), 6)} " if is_heading else "- " if style.startswith("List") else ""
    return f"{mark}{words}" if words else ""


def rows_with_long_cells(reader: Iterator[Row], longest: int) -> Iterator[Row]:
    """Yields the rows of `reader` (of the module csv). A cell may have up to `longest` characters."""
    while True:
        with _cell_limit_lock:  # the limit is global, so it is changed only while a row is read
            before = csv.field_size_limit(longest)
            try:
                row = next(reader, None)
            finally:
                csv.field_size_limit(before)
        if row is None:
            return
        yield row


def markdown_table(rows: Iterable[Sequence[str]]) -> str:
    """Writes `rows` as a Markdown table without empty rows. The first row is the header."""
    filled = [[joined_words(cell).replace("|", "/") for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    width = max((at for row in filled for at, cell in enumerate(row, start=1) if cell), default=0)
    lines = [f"| {' | '.join([*row, *[''] * width][:width])} |" for row in filled]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) if lines else ""


def joined_words(text: str) -> str:
    return " ".join(text.split())
