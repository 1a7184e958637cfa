"""Reads the text of a file of Word, PowerPoint or Excel as Markdown: headings marked, tables as tables."""

import io
import zipfile
from collections.abc import Callable, Iterable, Iterator, Sequence
from datetime import date, datetime, time
from typing import TYPE_CHECKING, Any

from rarr.retrievers.extract.extracted_document import MEGABYTE, UnreadableError

if TYPE_CHECKING:
    from docx.document import Document as Letter

MOST_UNPACKED = 300 * MEGABYTE
"""The most bytes that a file may unpack to. Such files are archives: a small archive can hold any amount."""
MOST_CHARACTERS = 20_000_000
"""The most characters of text in one file, as for a PDF."""

INSTALL = 'it needs a package: pip install "rarr[office]"'
_W = "{http://schemas.openxmlformats.org/wordprocessingml/2006/main}"
_FALLBACK = "{http://schemas.openxmlformats.org/markup-compatibility/2006}Fallback"
_GONE = (f"{_W}del", f"{_W}moveFrom", _FALLBACK)
"""What is not read: tracked deletions, and text that is there a second time for older programs."""
_MOST_SPANNED = 100  # columns
_DEEPEST = 20  # groups of shapes in each other


def read_docx(data: bytes) -> tuple[str, str]:
    """Reads the text and the title ("" if none) of a document of Word. Raises `UnreadableError`."""
    return _read(data, _docx)


def read_pptx(data: bytes) -> tuple[str, str]:
    """Reads the text and the title of a presentation. Each slide gets a heading."""
    return _read(data, _pptx)


def read_xlsx(data: bytes) -> tuple[str, str]:
    """Reads the text and the title of a workbook: a heading and a table per sheet."""
    return _read(data, _xlsx)


def _read(data: bytes, blocks: Callable[[io.BytesIO], tuple[Iterable[str], str]]) -> tuple[str, str]:
    try:
        _require_bounded(data)
        read_blocks, title = blocks(io.BytesIO(data))
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
    import docx

    letter = docx.Document(file)
    blocks = list(_of_letter(letter))
    heading = next((block.lstrip("# ") for block in blocks if block.startswith("#")), "")
    return blocks, letter.core_properties.title or heading


def _of_letter(letter: "Letter") -> Iterator[str]:
    """Yields paragraphs and tables, those in content controls and text boxes too."""
    for element in _blocks_of(letter.element.body):
        yield markdown_table(_rows(element)) if element.tag == f"{_W}tbl" else _paragraph(element, letter)


def _blocks_of(parent: Any) -> Iterator[Any]:
    """Yields the elements of the paragraphs and tables in an element, in order."""
    for child in parent:
        if child.tag in _GONE:
            continue
        if child.tag in (f"{_W}p", f"{_W}tbl"):
            yield child
        if child.tag != f"{_W}tbl":
            yield from _blocks_of(child)  # a content control, a text box in a paragraph


def _paragraph(element: Any, letter: "Letter") -> str:
    from docx.text.paragraph import Paragraph

    words = _words(_text_of(element))
    known = Paragraph(element, letter._body).style
    style = (known.name or "") if known else ""
    if words and style == "Title":
        return f"# {words}"
    kind, _, level = style.rpartition(" ")
    if words and kind == "Heading" and level.isdecimal():
        return f"{'#' * min(int(level), 6)} {words}"
    return f"- {words}" if words and style.startswith("List") else words


def _text_of(element: Any) -> str:
    """Joins the text in a paragraph or cell, but of no block inside the paragraph."""
    pieces = list[str]()
    for child in element:
        if child.tag == f"{_W}t":
            pieces.append(child.text or "")
        elif child.tag in (f"{_W}tab", f"{_W}br", f"{_W}cr"):
            pieces.append(" ")
        elif child.tag == f"{_W}noBreakHyphen":
            pieces.append("-")
        elif child.tag not in (*_GONE, f"{_W}pPr", f"{_W}txbxContent"):
            ends_word = child.tag in (f"{_W}p", f"{_W}tbl", f"{_W}tc")
            pieces.append(_text_of(child) + " " * ends_word)
    return "".join(pieces)


def _rows(table: Any) -> Iterator[list[str]]:
    """Yields the cells of each row.

    Of cells merged in a row, the first has the words; a cell merged with those below has them in each row.
    """
    above: list[str] = []
    for row in _inner(table, "tr"):
        if row.find(f"{_W}trPr/{_W}del") is not None:
            continue
        cells = [""] * _count(row, "trPr/gridBefore")
        for cell in _inner(row, "tc"):
            merged = cell.find(f"{_W}tcPr/{_W}vMerge")
            goes_on = merged is not None and merged.get(f"{_W}val") != "restart"
            words = above[len(cells)] if goes_on and len(cells) < len(above) else _text_of(cell)
            cells += [words, *[""] * (_count(cell, "tcPr/gridSpan") - 1)]
        above = cells
        yield cells


def _inner(parent: Any, tag: str) -> Iterator[Any]:
    """Yields the rows of a table or the cells of a row, those in content controls too."""
    for child in parent:
        if child.tag == f"{_W}{tag}":
            yield child
        elif child.tag in (f"{_W}sdt", f"{_W}sdtContent", f"{_W}customXml"):
            yield from _inner(child, tag)


def _count(element: Any, path: str) -> int:
    """Returns a number of columns that an element names, as far as it may be true; 0 if it names none."""
    found = element.find("/".join(f"{_W}{part}" for part in path.split("/")))
    return min(int(found.get(f"{_W}val", "0")), _MOST_SPANNED) if found is not None else 0


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
