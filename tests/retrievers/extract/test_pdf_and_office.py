"""PDFs and files of Office become text with headings and tables; hostile files are refused."""

import io
import sys
import zipfile
from collections.abc import Callable
from datetime import datetime
from pathlib import Path
from typing import Any

import docx
import openpyxl
import pptx
import pytest
from pptx.util import Inches

from rarr.retrievers.extract import pages_and_office
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.files import extract
from rarr.retrievers.extract.pages_and_office import read_office, read_pdf


def saved(made: Any) -> bytes:
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def filled(table: Any, rows: list[list[str]]) -> None:
    for row, words in enumerate(rows):
        for column, word in enumerate(words):
            table.cell(row, column).text = word


def letter() -> bytes:
    made = docx.Document()
    made.add_heading("Lorrin Bridge", 0)
    made.add_heading("History", 2)
    made.add_paragraph("The bridge was opened\nin 1937.")
    made.add_paragraph("Members pay 3 euros.", style="List Bullet")
    filled(made.add_table(2, 2), [["Part", "Length"], ["Main span", "1,280 m | 1"]])
    merged = made.add_table(1, 3)
    merged.cell(0, 0).merge(merged.cell(0, 1)).text = "Both"
    merged.cell(0, 2).text = "One"
    return saved(made)


def test_a_word_document_is_read() -> None:
    text, title = read_office(".docx", letter())
    assert title == "Lorrin Bridge"
    assert text.split("\n\n") == [
        "# Lorrin Bridge",
        "## History",
        "The bridge was opened in 1937.",
        "- Members pay 3 euros.",
        "| Part | Length |\n| --- | --- |\n| Main span | 1,280 m / 1 |",
        "| Both |  | One |\n| --- | --- | --- |",
    ]


@pytest.mark.slow
def test_slides_are_read_with_tables_groups_and_notes() -> None:
    made = pptx.Presentation()
    first = made.slides.add_slide(made.slide_layouts[1])
    first.shapes.title.text = "Results"
    first.placeholders[1].text = "Orders rose.\nSales fell."
    size = [Inches(1)] * 4
    filled(first.shapes.add_table(2, 2, *size).table, [["Year", "Orders"], ["2024", "412"]])
    first.notes_slide.notes_text_frame.text = "Thank the staff."
    second = made.slides.add_slide(made.slide_layouts[6])
    second.shapes.add_group_shape().shapes.add_textbox(*size).text_frame.text = "In a group."
    text, title = read_office(".pptx", saved(made))
    table = "| Year | Orders |\n| --- | --- |\n| 2024 | 412 |"
    first_slide = ["## Results", "Orders rose.", "Sales fell.", table, "Thank the staff."]
    assert (text.split("\n\n"), title) == ([*first_slide, "## Slide 2", "In a group."], "Results")


@pytest.mark.slow
def test_a_workbook_is_read() -> None:
    made = openpyxl.Workbook()
    sheet: Any = made.active
    sheet.title = "Fees"
    sheet.append(["Kind", "Fee", "Share", "From"])
    sheet.append(["Members", 12, 0.125, datetime(2024, 5, 1)])
    sheet["C2"].number_format = "0.0%"
    sheet.append([])
    sheet.append(["Guests", 18.5, None, datetime(2024, 5, 1, 9, 30)])
    made.create_sheet("Empty")
    assert read_office(".xlsx", saved(made))[0].splitlines() == [
        "## Fees",
        "",
        "| Kind | Fee | Share | From |",
        "| --- | --- | --- | --- |",
        "| Members | 12 | 12.5% | 2024-05-01 |",
        "| Guests | 18.5 |  | 2024-05-01 09:30 |",
    ]


def changed(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """The document of Word with another content."""
    file, name = io.BytesIO(), "word/document.xml"
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            new.writestr(entry, change(old.read(entry)) if entry == name else old.read(entry))
    return file.getvalue()


def laughing(xml: bytes) -> bytes:
    """The XML with an entity that unfolds to a billion characters."""
    more = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
    head, body = xml.split(b"?>", 1)
    return head + b'?><!DOCTYPE x [<!ENTITY e0 "ha">' + more + b"]>" + body.replace(b"History", b"&e9;")


@pytest.mark.slow
@pytest.mark.parametrize(
    "change",
    [
        laughing,
        lambda xml: xml.replace(b"<w:body>", b"<w:body>" + b"<w:p>" * 10_000),
        lambda xml: xml[: len(xml) // 2],
    ],
)
def test_hostile_document_is_refused(change: Callable[[bytes], bytes], tmp_path: Path) -> None:
    (tmp_path / "a.docx").write_bytes(changed(letter(), change))
    with pytest.raises(UnreadableError, match="it cannot be read"):
        next(extract(tmp_path / "a.docx", print))


def test_document_that_unpacks_to_too_much_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pages_and_office, "MOST_UNPACKED", 10_000)
    with pytest.raises(UnreadableError, match="it unpacks to more than 0 MB: split it"):
        read_office(".docx", letter())


def test_a_huge_merged_cell_is_read_as_a_small_one() -> None:
    wide = b'<w:tcPr><w:gridSpan w:val="1000000000"/>'
    huge = changed(letter(), lambda xml: xml.replace(b"<w:tcPr>", wide))
    assert "Main span" in read_office(".docx", huge)[0]


def run(words: str, tag: str = "t") -> str:
    return f'<w:r><w:{tag} xml:space="preserve">{words}</w:{tag}></w:r>'


def control(content: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr>{properties}{''.join(cells)}</w:tr>"


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p>{content}</w:p></w:tc>"


MERGED = '<w:vMerge w:val="restart"/>'


@pytest.mark.parametrize(
    ("xml", "expected"),
    [
        (f"<w:p>{run('Dogs are ')}<w:ins>{run('not ')}</w:ins>{run('in.')}</w:p>", "Dogs are not in."),
        (f"<w:p>{run('Dogs ')}<w:del>{run('x ', 'delText')}</w:del>{run('bark.')}</w:p>", "Dogs bark."),
        (f"<w:p><w:moveFrom>{run('Old.')}</w:moveFrom><w:moveTo>{run('New.')}</w:moveTo></w:p>", "New."),
        (f"<w:p>{run('It is ')}{control(run('12 m'))}{run(' long.')}</w:p>", "It is 12 m long."),
        (f"<w:p>{run('One')}<w:r><w:br/></w:r>{run('two.')}</w:p>", "One two."),
        (
            f"<w:p>{run('Text.')}<w:r><w:txbxContent><w:p>{run('A box.')}</w:p></w:txbxContent></w:r></w:p>",
            "Text. A box.",
        ),
        (
            f"<w:tbl>{row(cell(run('Part')), cell(run('Size')))}"
            + control(row(cell(run("Arch")), control(cell(control(run("12 m"))))))
            + row(cell(run("Old")), cell(run("1 m")), properties="<w:trPr><w:del/></w:trPr>")
            + "</w:tbl>",
            "| Part | Size |\n| --- | --- |\n| Arch | 12 m |",
        ),
        (
            f"<w:tbl>{row(cell(run('Arch'), MERGED), cell(run('12 m')))}"
            f"{row(cell('', '<w:vMerge/>'), cell(run('13 m')))}</w:tbl>",
            "| Arch | 12 m |\n| --- | --- |\n| Arch | 13 m |",
        ),
    ],
)
def test_changes_and_content_controls_of_word_are_read_as_they_stand(xml: str, expected: str) -> None:
    body = b"<w:body>"
    made = changed(saved(docx.Document()), lambda old: old.replace(body, body + xml.encode()))
    assert read_office(".docx", made)[0] == expected


def test_missing_extra_is_an_error_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    made = letter()
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(UnreadableError, match=r'it needs a package: pip install "rarr\[office\]"') as caught:
        read_office(".docx", made)
    assert not caught.value.lasting


def page(*lines: str) -> bytes:
    """A PDF with these lines on its only page."""
    content = f"BT /F1 12 Tf 72 720 Td ({') Tj 0 -14 Td ('.join(lines)}) Tj ET"
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        "<< /Type /Pages /Count 1 /Kids [4 0 R] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
        "<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] /Resources << /Font << /F1 3 0 R >> >>"
        " /Contents 5 0 R >>",
        f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
    ]
    body, places = "%PDF-1.4\n", ""
    for number, item in enumerate(objects, start=1):
        places += f"{len(body):010} 00000 n \n"
        body += f"{number} 0 obj\n{item}\nendobj\n"
    tail = f"trailer << /Size 6 /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 6\n0000000000 65535 f \n{places}{tail}".encode()


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("The largest reser-", "voir is old.", "The largest reservoir is old."),
        ("The offer is non-", "binding here.", "The offer is non-binding here."),
        ("It is long-term and long-", "term it stays.", "It is long-term and long-term it stays."),
        ("It ran from 1936-", "1940 here.", "It ran from 1936-\n1940 here."),
    ],
)
def test_words_hyphenated_at_the_end_of_a_line_of_a_pdf_are_joined(
    first: str, second: str, joined: str
) -> None:
    assert read_pdf(page(first, second))[0].strip() == joined


def test_pdf_of_too_much_text_is_refused() -> None:
    with pytest.raises(UnreadableError, match="it holds more than 5 characters: split it"):
        read_pdf(page("Peaches grow."), 5)


def test_scan_says_ocr(tmp_path: Path) -> None:
    (tmp_path / "a.pdf").write_bytes(page(""))
    with pytest.raises(UnreadableError, match="put it through OCR, if it is a scan"):
        next(extract(tmp_path / "a.pdf", print))
