"""Reads the text of a file of Word, PowerPoint or Excel as Markdown: headings marked, tables as tables."""

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import Any

from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError

MOST_UNPACKED = 300 * MEGABYTE
"""The most bytes that a file may unpack to. Such files are archives: a small archive can hold any amount."""
MOST_CHARACTERS = 20_000_000
"""The most characters of text in one file, as for a PDF."""

INSTALL = 'it needs a package: pip install "rarr[office]"'
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

    Each slide gets a heading, and each sheet a heading and a table. Raises `UnreadableError`.
    """
    try:
        _require_bounded(data)
        read_blocks, title = _BLOCKS_OF[kind](io.BytesIO(data))
        return "\n\n".join(_bounded(read_blocks)), title.strip()
    except (UnreadableError, MemoryError):  # the process has a limit of memory
        raise
    except ImportError as error:
        raise UnreadableError(INSTALL, lasting=False) from error
    except Exception as error:  # a damaged file makes the parsers raise almost anything
        raise UnreadableError(f"its content cannot be read ({type(error).__name__}: {error})") from error


def _require_bounded(data: bytes) -> None:
    """Raises `UnreadableError` if the archive says that it holds too much; parsers unpack no more."""
    with zipfile.ZipFile(io.BytesIO(data)) as archive:
        unpacked = sum(entry.file_size for entry in archive.infolist())
    if unpacked > MOST_UNPACKED:
        raise UnreadableError(f"it unpacks to more than {MOST_UNPACKED // MEGABYTE} MB: split it")


def _bounded(blocks: Iterable[str]) -> Iterator[str]:
    size = 0
    for block in filter(None, blocks):
        size += len(block)
        if size > MOST_CHARACTERS:
            raise UnreadableError(f"it holds more than {MOST_CHARACTERS} characters: split it")
        yield block


def _docx(file: io.BytesIO) -> tuple[Iterable[str], str]:
    """Reads paragraphs and tables, those in content controls too; text boxes stand in their paragraphs."""
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
    written = {"noBreakHyphen": "-"}  # the others end a word
    tags = ((piece.tag.rpartition("}")[2], piece.text or "") for piece in element.xpath(_PIECES))
    return "".join(text if tag == "t" else written.get(tag, " ") for tag, text in tags)


def _rows_of(table: Any) -> Iterator[list[str]]:
    """Yields the cells of each row.

    Of cells merged in a row, the first has the words; a cell merged with those below has them in each row.
    """
    above: list[str] = []
    for row in table.xpath(_ROWS):
        cells = [""] * _count(row.xpath("w:trPr/w:gridBefore/@w:val"), 0)
        for cell in row.xpath(_CELLS):
            goes_on = cell.xpath("w:tcPr/w:vMerge[not(@w:val = 'restart')]")
            words = above[len(cells)] if goes_on and len(cells) < len(above) else _text_of(cell)
            cells += [words, *[""] * (_count(cell.xpath("w:tcPr/w:gridSpan/@w:val"), 1) - 1)]
        above = cells
        yield cells


def _marked(words: str, style: str) -> str:
    """Writes a paragraph with this style as Markdown."""
    kind, _, level = style.rpartition(" ")
    if words and style == "Title":
        return f"# {words}"
    if words and kind == "Heading" and level.isdecimal():
        return f"{'#' * min(int(level), 6)} {words}"
    return f"- {words}" if words and style.startswith("List") else words


def _count(numbers: list[str], default: int) -> int:
    """Returns a number of columns that an element names, as far as it may be true."""
    return min(int(numbers[0]), _MOST_SPANNED) if numbers else default


def _pptx(file: io.BytesIO) -> tuple[Iterable[str], str]:
    import pptx

    shown = pptx.Presentation(file)
    titles = [_title(slide) for slide in shown.slides]
    return _of_slides(shown.slides), shown.core_properties.title or next(filter(None, titles), "")


def _title(slide: Any) -> str:
    return _words(slide.shapes.title.text_frame.text) if slide.shapes.title is not None else ""


def _of_slides(slides: Iterable[Any]) -> Iterator[str]:
    for number, slide in enumerate(slides, start=1):
        title = slide.shapes.title
        yield f"## {_title(slide) or f'Slide {number}'}"
        for shape in slide.shapes:
            if title is None or shape.shape_id != title.shape_id:
                yield from _of_shape(shape, _DEEPEST)
        if slide.has_notes_slide and (notes := slide.notes_slide.notes_text_frame) is not None:
            yield from _lines(notes)


def _of_shape(shape: Any, depth: int) -> Iterator[str]:
    if shape.has_text_frame:
        yield from _lines(shape.text_frame)
    elif getattr(shape, "has_table", False):
        yield markdown_table([cell.text for cell in row.cells] for row in shape.table.rows)
    elif depth and hasattr(shape, "shapes"):
        for inner in shape.shapes:
            yield from _of_shape(inner, depth - 1)


def _lines(frame: Any) -> Iterator[str]:
    return (_words(paragraph.text) for paragraph in frame.paragraphs)


def _xlsx(file: io.BytesIO) -> tuple[Iterable[str], str]:
    import openpyxl

    book = openpyxl.load_workbook(file, read_only=True, data_only=True)
    return _of_sheets(book.worksheets), book.properties.title or ""


def _of_sheets(sheets: Iterable[Any]) -> Iterator[str]:
    for sheet in sheets:
        sheet.reset_dimensions()  # a file may claim a billion empty cells
        if table := markdown_table([_cell(cell) for cell in row] for row in sheet.iter_rows()):
            yield f"## {_words(sheet.title)}"
            yield table


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
    width = max(
        (len(row) - next(i for i, cell in enumerate(reversed(row)) if cell) for row in filled), default=0
    )
    lines = [f"| {' | '.join([*row, *[''] * width][:width])} |" for row in filled]
    return "\n".join([*lines[:1], "|" + " --- |" * width, *lines[1:]]) if lines else ""


def _words(text: str) -> str:
    return " ".join(text.split())


_BLOCKS_OF: dict[str, Callable[[io.BytesIO], tuple[Iterable[str], str]]] = {
    ".docx": _docx,
    ".pptx": _pptx,
    ".xlsx": _xlsx,
}
