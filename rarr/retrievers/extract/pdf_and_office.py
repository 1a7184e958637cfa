"""Reads PDFs and files of Word, PowerPoint and Excel: headings marked and tables as tables in Markdown."""

import io
import re
import zipfile
from collections.abc import Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError

MOST_CHARACTERS = 20_000_000  # of one file, ten times the longest books: a few bytes may unpack to more
MOST_UNPACKED = 300 * MEGABYTE  # bytes of a file of Office, which is an archive
_MOST_PAGES = 5_000
_BROKEN = re.compile(r"(\w+)(?:-|\u00ad)[ \t]*\r?\n[ \t]*([a-zà-öø-ÿ]\w*)")
_KEEPS_HYPHEN = frozenset({"non", "self", "ex"})
_NO_TITLE = re.compile(r"untitled\W*\d*|document\d*|microsoft (?:word|powerpoint) - .*", re.IGNORECASE)


def read_pdf(data: bytes, most_characters: int = MOST_CHARACTERS) -> tuple[str, str]:
    """Reads the text and the title ("" without a title) of a PDF. Raises any error where it is damaged."""
    import pypdf  # takes long to import

    reader = pypdf.PdfReader(io.BytesIO(data))
    if len(reader.pages) > _MOST_PAGES:
        raise UnreadableError(f"its PDF has more than {_MOST_PAGES} pages: split it")
    text = "\n\n".join(_bounded((page.extract_text() for page in reader.pages), most_characters))
    title = str((reader.metadata.title if reader.metadata else None) or "").strip()
    return _rejoined(text), "" if _NO_TITLE.fullmatch(title) else title


def _bounded(parts: Iterable[str], most: int = MOST_CHARACTERS) -> Iterator[str]:
    size = 0
    for part in parts:
        size += len(part)
        if size > most:
            raise UnreadableError(f"it holds more than {most} characters: split it")
        yield part


def _rejoined(text: str) -> str:
    """Joins words that are hyphenated at a line's end; the hyphen stays where the word has it elsewhere."""
    words = set(re.findall(r"\w+(?:-\w+)*", text.casefold()))

    def joined(match: re.Match[str]) -> str:
        first, second = match.groups()
        plain, hyphened = (f"{first}{mark}{second}".casefold() for mark in ("", "-"))
        keeps = hyphened in words or first.casefold() in _KEEPS_HYPHEN or first[-1].isdigit()
        return f"{first}-{second}" if keeps and plain not in words else first + second

    return _BROKEN.sub(joined, text)


# Not read: tracked deletions, tab stops, and text that is there a second time for older programs.
_GONE = "ancestor::w:del or ancestor::w:moveFrom or ancestor::w:pPr or ancestor::*[local-name() = 'Fallback']"
_BLOCKS = f".//*[self::w:p or self::w:tbl][not(ancestor::w:p or ancestor::w:tbl)][not({_GONE})]"
_MARKS = " or ".join(f"self::w:{tag}" for tag in ("t", "noBreakHyphen", "tab", "br", "cr", "p"))
_PIECES = f".//*[{_MARKS}][not({_GONE})]"
_ROWS = ".//w:tr[count(ancestor::w:tbl) = 1][not(w:trPr/w:del)]"
_CELLS = ".//w:tc[count(ancestor::w:tbl) = 1]"
_MOST_SPANNED = 100  # columns
_DEEPEST = 20  # groups of shapes in each other


def read_office(kind: str, data: bytes) -> tuple[str, str]:
    """Reads the text and the title ("" if none) of a file of the kind .docx, .pptx or .xlsx.

    Each slide gets a heading, and each sheet a heading and a table. Raises any error where it is damaged.
    """
    with zipfile.ZipFile(io.BytesIO(data)) as archive:  # the parsers unpack no more than it says
        unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > MOST_UNPACKED:
        raise UnreadableError(f"it unpacks to more than {MOST_UNPACKED // MEGABYTE} MB: split it")
    try:
        blocks, title = {".docx": _docx, ".pptx": _pptx, ".xlsx": _xlsx}[kind](io.BytesIO(data))
    except ImportError as error:
        raise UnreadableError('it needs a package: pip install "rarr[office]"', lasting=False) from error
    return "\n\n".join(_bounded(filter(None, blocks))), title.strip()


def _docx(file: io.BytesIO) -> tuple[Iterable[str], str]:
    """Reads paragraphs and tables, also in content controls; text boxes stand in their paragraphs."""
    import docx
    from docx.text.paragraph import Paragraph

    letter = docx.Document(file)

    def block(element: Any) -> str:
        if element.tag.endswith("}tbl"):
            return markdown_table(_rows_of(element))
        style = Paragraph(element, letter._body).style
        return _marked(_words(_text_of(element)), (style.name or "") if style else "")

    blocks = [block(element) for element in letter.element.body.xpath(_BLOCKS)]
    heading = next((block.lstrip("# ") for block in blocks if block.startswith("#")), "")
    return blocks, letter.core_properties.title or heading


def _text_of(element: Any) -> str:
    """Joins the text of an element; a tab, a break or the end of a paragraph ends a word."""
    tags = ((piece.tag.rpartition("}")[2], piece.text or "") for piece in element.xpath(_PIECES))
    return "".join({"t": text, "noBreakHyphen": "-"}.get(tag, " ") for tag, text in tags)


def _rows_of(table: Any) -> Iterator[list[str]]:
    """Yields the cells of each row; a cell merged with those below it has its words in each row."""
    above: list[str] = []
    for row in table.xpath(_ROWS):
        cells: list[str] = []
        for cell in row.xpath(_CELLS):
            goes_on = cell.xpath("w:tcPr/w:vMerge[not(@w:val = 'restart')]")
            words = above[len(cells)] if goes_on and len(cells) < len(above) else _text_of(cell)
            spanned = min(int((cell.xpath("w:tcPr/w:gridSpan/@w:val") or [1])[0]), _MOST_SPANNED)
            cells += [words, *[""] * (spanned - 1)]
        above = cells
        yield cells


def _marked(words: str, style: str) -> str:
    """Writes a paragraph with this style as Markdown."""
    kind, _, level = style.replace("Title", "Heading 1").rpartition(" ")
    is_heading = kind == "Heading" and level.isdecimal()
    mark = f"{'#' * min(int(level), 6)} " if is_heading else "- " if style.startswith("List") else ""
    return f"{mark}{words}" if words else ""


def _pptx(file: io.BytesIO) -> tuple[Iterable[str], str]:
    import pptx

    blocks, titles = list[str](), list[str]()
    shown = pptx.Presentation(file)
    for number, slide in enumerate(shown.slides, start=1):
        title = slide.shapes.title
        titles.append(_words(title.text_frame.text) if title is not None else "")
        blocks.append(f"## {titles[-1] or f'Slide {number}'}")
        for shape in slide.shapes:
            if title is None or shape.shape_id != title.shape_id:
                blocks += _of_shape(shape, _DEEPEST)
        if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
            blocks += (_words(paragraph.text) for paragraph in notes.paragraphs)
    return blocks, shown.core_properties.title or next(filter(None, titles), "")


def _of_shape(shape: Any, depth: int) -> Iterator[str]:
    if shape.has_text_frame:
        yield from (_words(paragraph.text) for paragraph in shape.text_frame.paragraphs)
    elif getattr(shape, "has_table", False):
        yield markdown_table([cell.text for cell in row.cells] for row in shape.table.rows)
    elif depth:
        for inner in getattr(shape, "shapes", ()):
            yield from _of_shape(inner, depth - 1)


def _xlsx(file: io.BytesIO) -> tuple[Iterable[str], str]:
    import openpyxl

    book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    blocks = list[str]()
    for sheet in book.worksheets:
        sheet.reset_dimensions()  # a file may claim a billion empty cells
        if table := markdown_table([_cell(cell) for cell in row] for row in sheet.iter_rows()):
            blocks += (f"## {_words(sheet.title)}", table)
    return blocks, book.properties.title or ""


def _cell(cell: Any) -> str:
    """Writes a cell's value as text: dates in ISO form, percentages with %, "" if it is empty."""
    value = cell.value
    if isinstance(value, datetime) and value.time() == time():
        value = value.date()
    if isinstance(value, (date, time)):
        return value.isoformat(" ", "minutes") if isinstance(value, datetime) else value.isoformat()
    if isinstance(value, (int, float)) and not isinstance(value, bool):
        percent = "%" in (cell.number_format or "")
        return f"{value * 100:.10g}%" if percent else f"{value:.15g}"
    return "" if value is None else str(value)


def markdown_table(rows: Iterable[Sequence[str]]) -> str:
    """Writes rows as a Markdown table without empty rows. The first row is the header."""
    filled = [[_words(cell).replace("|", "/") for cell in row] for row in rows]
    filled = [row for row in filled if any(row)]
    width = max((at for row in filled for at, cell in enumerate(row, start=1) if cell), default=0)
    lines = [f"| {' | '.join([*row, *[''] * width][:width])} |" for row in filled]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) if lines else ""


def _words(text: str) -> str:
    return " ".join(text.split())
