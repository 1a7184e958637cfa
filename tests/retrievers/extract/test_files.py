"""Files and pages become documents by their kind. A file that cannot be read is an error with its cause."""

import csv
import io
import json
import sys
import tracemalloc
import zipfile
from collections.abc import Callable
from contextlib import suppress
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import docx
import pytest
from hypothesis import given, strategies as st

from benchmarks.hostile_pages import pdf
from rarr.retrievers.extract import documents, files
from rarr.retrievers.extract.documents import Document, UnreadableError, decode, read_docx, read_pdf
from rarr.retrievers.extract.files import extract
from rarr.retrievers.extract.pages import read_html


def read(path: Path) -> list[Document]:
    return list(extract(path, print))


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


DAY = datetime(2020, 3, 4, tzinfo=UTC)
RECORD = {"text": "Hi.", "title": "T", "url": "https://x.org", "date": "2020-03-04", "id": 7}
TABLE = Document("| Lake | Depth, m |\n| --- | --- |\n| Ule | 12.9 |\n| Sor | 3.6 |", "a")
TITLED = {
    "  Intro.\r\n\n## The *Peach* ##\n\nText.\rשלום עולם.\n\n": "The *Peach",
    "Peaches\n=======\n\nText.": "Peaches",
    "No heading here.": "a",
    "---\ntags: x\ntitle: 'My peaches'\n---\n# Other\n": "My peaches",
    "---\ntags: x\n---\n# Other\n\nText.": "Other",
    "# Peaches\n\n## Kinds\n\nTwo.\n\n## Uses\n\nMany.": "Peaches",
    "## Alder\n\nA tree.\n\n## Birch\n\nA tree.": "a",
}


@pytest.mark.parametrize(
    ("name", "content", "document"),
    [
        *(("a.md", text, Document(text, title)) for text, title in TITLED.items()),
        ("a.csv", 'Lake,"Depth, m"\nUle,"12.9"\n\nSor,"3.6"\n', TABLE),
        ("a.csv", "Lake;Depth, m\r\nUle;12.9\r\nSor;3.6\r\n", TABLE),
        ("a.tsv", "Lake\tDepth, m\nUle\t12.9\nSor\t3.6", TABLE),
        ("a.json", json.dumps(RECORD), Document("Hi.", "T", "https://x.org", 1, DAY)),
    ],
)
def test_file_becomes_a_document(tmp_path: Path, name: str, content: str, document: Document) -> None:
    assert read(written(tmp_path / name, content)) == [document]


LINES = b'\xef\xbb\xbf{"text": "a"}\r\n\nbad\n{"text": "b"}\n\xff\n[1]'


@pytest.mark.parametrize(
    ("name", "content", "items", "left_out"),
    [
        ("a.json", b'[{"text": "a"}, 3, {"text": null}]', [1], ["item 2", "item 3"]),
        ("a.jsonl", LINES, [1, 4], ["line 3", "line 5", "line 6"]),
    ],
)
def test_bad_records_are_left_out_by_number(
    tmp_path: Path, name: str, content: bytes, items: list[int], left_out: list[str]
) -> None:
    notes = list[str]()
    documents = [*extract(written(tmp_path / name, content), notes.append)]
    assert [document.item for document in documents] == items
    assert [note.split(" is")[0] for note in notes] == left_out


TEXT = "Die Pfirsiche wachsen überall in Österreich, sagt der Gärtner.\r\nFür ihn sind sie schön. " * 3


@pytest.mark.parametrize(
    ("encoding", "text"),
    [
        *((encoding, TEXT) for encoding in ("utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252")),
        *(("cp1252", text) for text in ("It is 5 µg.", "It is £5,000.", "à côté d’une forêt…")),
        ("cp1250", "Zámek byl postaven v roce 1850 a je otevřen v létě každý den."),
        ("cp1251", "Мост построен в 1931 году."),
        ("big5", "這座橋建於一九三一年。"),
    ],
)
def test_encodings_are_marked_or_guessed(encoding: str, text: str) -> None:
    notes = list[str]()
    assert decode(text.encode(encoding), complain=notes.append) == text
    assert len(notes) == (not encoding.startswith("utf"))


@given(st.binary(max_size=60))
def test_bytes_are_text_or_refused(data: bytes) -> None:
    with suppress(UnreadableError):
        assert isinstance(decode(data), str)


def test_dates_are_read_as_sources_write_them() -> None:
    for value in ("2020-03-04", "Wed, 04 Mar 2020 00:00:00 GMT", " 2020-03-04T02:00+02:00 ", DAY.date()):
        assert documents.parsed_date(value) == DAY
    assert documents.parsed_date(2020) == datetime(2020, 1, 1, tzinfo=UTC)
    assert documents.parsed_date("last week") is documents.parsed_date(1583280000) is None


def test_long_cell_is_read_whatever_limit_the_process_has_and_keeps(tmp_path: Path) -> None:
    usual = csv.field_size_limit(1000)
    try:
        [document] = read(written(tmp_path / "a.csv", f"a,b\n{'c' * 200_000},d"))
        assert "c" * 200_000 in document.text
    finally:
        assert csv.field_size_limit(usual) == 1000


@pytest.mark.slow
def test_memory_for_a_text_does_not_grow_with_its_size(tmp_path: Path) -> None:
    path = written(tmp_path / "a.txt", "Der Fluß ist breit – und tief.\n\n" * 1_200_000)
    tracemalloc.start()
    assert sum(1 for _ in extract(path, print)) > 100
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert peak < 30_000_000 < path.stat().st_size


PAGE = """<html><head><title>Fruit</title></head><body><nav>Home Shop Contact</nav><article><h1>Peaches</h1>
<p>The <b>peach</b> is a fruit<i>.</i> It grows in Georgia, and in California as well.</p>
<h3>Where</h3><ul><li>Georgia</li><li>California<ul><li>Fresno</li></ul></li></ul>
<table><tr><th>State</th><th>Tons</th></tr><tr><td>California</td><td><p>505,000</p></td></tr></table>
<blockquote><p>Sweet.</p></blockquote><pre><code>peach = 1\npear = 2</code></pre></article></body></html>"""


@pytest.mark.slow
def test_a_page_becomes_markdown() -> None:
    assert read_html(PAGE.encode()).text.split("\n\n") == [
        "# Peaches",
        "The peach is a fruit. It grows in Georgia, and in California as well.",
        "### Where",
        "- Georgia\n- California\n- Fresno",
        "| State | Tons |\n| --- | --- |\n| California | 505,000 |",
        "> Sweet.",
        "```\npeach = 1\npear = 2\n```",
    ]


def test_the_declared_encoding_is_used() -> None:
    page = '<html><head><meta charset="windows-1251"></head><body><p>Персики в Грузии.</p></body></html>'
    assert "Персики в Грузии." in read_html(page.encode("windows-1251")).text


OWN_PAGES = {
    "<nav>Home</nav><main><h1>Rates</h1><ul><li>Adults<li>Dogs</ul></main>": "# Rates¶- Adults\n- Dogs",
    "<h2>It</h2><p>It is <b>r</b>ed<!-- no -->.<h3>More</h3>Yes.": "## It¶It is red.¶### More¶Yes.",
    "<p>Do not:</p><ul><li>eat<ul><li><p>fish</p></li></ul></li></ul>": "Do not:¶- eat\n- fish",
    "<dl><dt>Forbidden<dd>Dogs.<dd>Cats.</dl>": "Forbidden:¶- Dogs.\n- Cats.",
    "<blockquote><p>A.</p>B<br>c.</blockquote><pre>a\n b</pre>": "> A.¶> B c.¶```\na\n b\n```",
    "<table><caption>Fees</caption><tr><th colspan=2>A<th>B<tr><td>1<br>x<td>2<td>3</table>": (
        "Fees¶| A |  | B |\n| --- | --- | --- |\n| 1 x | 2 | 3 |"
    ),
}


@pytest.mark.parametrize(("body", "text"), OWN_PAGES.items())
def test_all_text_of_an_own_page_is_read_with_its_headings_and_lists(body: str, text: str) -> None:
    page = f"<html><head><title>Ferry</title><style>a</style></head><body>{body}</body></html>"
    assert read_html(page.encode(), is_own=True).text.replace("\n\n", "¶") == text


@pytest.mark.parametrize(
    ("written", "expected"),
    [
        ("12<sup>3</sup> exits", "12³ exits"),
        ("12<sup><a href='#n'>3</a></sup> exits", "12[3] exits"),
        ("12<sup>[b]</sup> exits", "12[b] exits"),
        ("the 4<sup>th</sup> exit", "the 4th exit"),
        ("log 10<sub>2</sub> of H<sub>2</sub>O", "log 10₂ of H2O"),
        ("<del>9</del>12 <s>old </s>exits", "12 exits"),
        ("<i style='COLOR:red; Text-Decoration : line-through'>9</i>12 <b hidden>old </b>exits", "12 exits"),
        ("<i style='color:red;display:none !important'>9</i><b style='opacity:0'>8</b>12 exits", "12 exits"),
        ("<i style='opacity:0.5'>1</i><b style='font-size:0.9em'>2</b> exits", "12 exits"),
        ("<i style='visibility:hidden'>9</i>12 <b style='text-decoration:underline'>ex</b>its", "12 exits"),
        ("<td style='text-decoration-line:line-through'>9</td><td>12</td>", "| When |  | 12 |"),
        ("<td><ul><li>10:00 <b>to</b> 12:00</li><li>14:00</li></ul></td>", "10:00 to 12:00; 14:00"),
    ],
)
def test_raised_notes_and_lists_in_cells_are_read(written: str, expected: str) -> None:
    part = f"<table><tr><td>When</td>{written}</tr></table>" if "<td" in written else f"<p>{written}</p>"
    filling = f"<p>{'It stands by the river and is old. ' * 20}</p>"
    page = f"<html><body><article>{filling}{part}{filling}</article></body></html>"
    assert all(expected in read_html(page.encode(), is_own=is_own).text for is_own in (False, True))


def docx_bytes(made: Any) -> bytes:
    file = io.BytesIO()
    made.save(file)
    return file.getvalue()


def letter() -> bytes:
    made = docx.Document()
    made.add_heading("Lorrin Bridge", 0)
    made.add_heading("History", 2)
    made.add_paragraph("The bridge was opened\nin 1937.")
    made.add_paragraph("Members pay 3 euros.", style="List Bullet")
    made.styles["List"].font.hidden = made.styles["List 2"].font.strike = True
    made.add_paragraph("Members pay 9 euros.", style="List 2").add_run("It rains.").font.strike = False
    made.add_paragraph("Guests pay nothing.", style="List")
    return docx_bytes(made)


def test_a_word_document_is_read() -> None:
    read = read_docx(letter())
    assert read.title == "Lorrin Bridge"
    shown = "# Lorrin Bridge¶## History¶The bridge was opened in 1937.¶- Members pay 3 euros.¶- It rains."
    assert read.text.replace("\n\n", "¶") == shown


def with_new_xml(content: bytes, change: Callable[[bytes], bytes]) -> bytes:
    """Returns the document of Word with another content."""
    file, name = io.BytesIO(), "word/document.xml"
    with zipfile.ZipFile(io.BytesIO(content)) as old, zipfile.ZipFile(file, "w", zipfile.ZIP_DEFLATED) as new:
        for entry in old.namelist():
            new.writestr(entry, change(old.read(entry)) if entry == name else old.read(entry))
    return file.getvalue()


def run(words: str, tag: str = "t", *, made: str = "") -> str:
    return f'<w:r><w:rPr>{made}</w:rPr><w:{tag} xml:space="preserve">{words}</w:{tag}></w:r>'


def control(content: str) -> str:
    return f"<w:sdt><w:sdtPr/><w:sdtContent>{content}</w:sdtContent></w:sdt>"


def row(*cells: str, properties: str = "") -> str:
    return f"<w:tr>{properties}{''.join(cells)}</w:tr>"


def cell(content: str, properties: str = "") -> str:
    return f"<w:tc><w:tcPr>{properties}</w:tcPr><w:p>{content}</w:p></w:tc>"


def shifted(words: str, way: str) -> str:
    return run(words, made=f'<w:vertAlign w:val="{way}script"/>')


MERGED, WIDE = '<w:vMerge w:val="restart"/>', '<w:gridSpan w:val="{}"/>'
RAISED = f"{run('10')}{shifted('6', 'super')}{run(' on the 4')}{shifted('th', 'super')}"
LOWERED = f"{run(' of H')}{shifted('2', 'sub')}{run(', log 10')}{shifted('2', 'sub')}"
PARAGRAPHS = {
    f"{run('Dogs are ')}<w:ins>{run('not ')}</w:ins>{run('in.')}": "Dogs are not in.",
    f"{run('Dogs ')}<w:del>{run('x ', 'delText')}</w:del>{run('bark.')}": "Dogs bark.",
    f"<w:moveFrom>{run('Old.')}</w:moveFrom><w:moveTo>{run('New.')}</w:moveTo>": "New.",
    f"{run('Cats ', made='<w:dstrike/>')}{run('x', made='<w:vanish/>')}{run('purr.')}": "purr.",
    f"{run('It is ')}{control(run('12 m'))}{run(' long.')}": "It is 12 m long.",
    f"{run('One')}<w:r><w:br/></w:r>{run('two.')}": "One two.",
    f"{run('A.')}<w:r><w:txbxContent><w:p>{run('A box.')}</w:p></w:txbxContent></w:r>": "A. A box.",
    RAISED + LOWERED: "10⁶ on the 4th of H2, log 10₂",
}
TABLES = {
    row(cell(run("Part")), cell(run("Size")))
    + control(row(cell(run("Arch")), control(cell(control(run("12 m"))))))
    + row(cell(run("Old")), cell(run("1 m")), properties="<w:trPr><w:del/></w:trPr>"): (
        "| Part | Size |\n| --- | --- |\n| Arch | 12 m |"
    ),
    row(cell(run("A"), WIDE.format(2)), cell(run("1 | 2"), WIDE.format(10**9))): (
        "| A |  | 1 / 2 |\n| --- | --- | --- |"
    ),
    row(cell(run("Arch"), MERGED), cell(run("12 m"))) + row(cell("", "<w:vMerge/>"), cell(run("13 m"))): (
        "| Arch | 12 m |\n| --- | --- |\n| Arch | 13 m |"
    ),
}


@pytest.mark.parametrize(
    ("tag", "xml", "expected"),
    [*(("p", *it) for it in PARAGRAPHS.items()), *(("tbl", *it) for it in TABLES.items())],
)
def test_content_of_word_is_read_as_it_stands(tag: str, xml: str, expected: str) -> None:
    content = f"<w:body><w:{tag}>{xml}</w:{tag}>".encode()
    made = with_new_xml(docx_bytes(docx.Document()), lambda old: old.replace(b"<w:body>", content))
    assert read_docx(made).text == expected


def test_missing_extra_is_an_error_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    made = letter()
    monkeypatch.setitem(sys.modules, "docx", None)
    with pytest.raises(UnreadableError, match=r'it needs a package: pip install "rarr\[office\]"') as caught:
        read_docx(made)
    assert not caught.value.lasting


def page(*lines: str) -> bytes:
    """Makes a PDF with these lines on its only page."""
    return pdf(1, f"BT /F1 12 Tf 72 720 Td ({') Tj 0 -14 Td ('.join(lines)}) Tj ET".encode())


@pytest.mark.parametrize(
    ("first", "second", "joined"),
    [
        ("The largest reser-", "voir is old.", "The largest reservoir is old."),
        ("The offer is non-", "binding here.", "The offer is non-binding here."),
        ("It is long-term and long-", "term it stays.", "It is long-term and long-term it stays."),
        ("It ran from 1936-", "1940 here.", "It ran from 1936-\n1940 here."),
    ],
)
def test_words_hyphenated_at_a_line_end_of_a_pdf_are_joined(first: str, second: str, joined: str) -> None:
    assert read_pdf(page(first, second)).text.strip() == joined


def test_file_of_too_much_text_is_refused(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(files, "MOST_CHARACTERS", 5)
    with pytest.raises(UnreadableError, match="it holds more than 5 characters: split it"):
        files.documents_and_complaints(written(tmp_path / "a.pdf", page("Peaches grow.")))
    monkeypatch.setattr(documents, "MOST_UNPACKED", 10_000)
    with pytest.raises(UnreadableError, match="it unpacks to more than 0 MB: split it"):
        read_docx(letter())


def with_entity_bomb(xml: bytes) -> bytes:
    """Returns the XML with an entity that expands to a billion characters."""
    more = b"".join(b'<!ENTITY e%d "%s">' % (n, b"&e%d;" % (n - 1) * 10) for n in range(1, 10))
    head, body = xml.split(b"?>", 1)
    return head + b'?><!DOCTYPE x [<!ENTITY e0 "ha">' + more + b"]>" + body.replace(b"History", b"&e9;")


DEEP = b"<w:body>" + b"<w:p>" * 10_000
DAMAGES = (with_entity_bomb, lambda xml: xml[: len(xml) // 2], lambda xml: xml.replace(b"<w:body>", DEEP))
HOSTILE = [with_new_xml(letter(), damage) for damage in DAMAGES]


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", " \r\n", "holds no text"),
        ("a.txt", b"\x00\x01", "save it as UTF-8"),
        ("a.json", "{", "JSON cannot be read"),
        ("a.jsonl", "{\n{", "holds no text"),
        ("a.pdf", "no PDF", "beyond its parser \\(PdfStreamError"),
        ("a.pdf", page(""), "put it through OCR, if it is a scan"),
        *(pytest.param("a.docx", it, "it is damaged", marks=pytest.mark.slow) for it in HOSTILE),
    ],
    ids=range(9),
)
def test_unreadable_file_is_a_one_line_error_with_its_cause(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    with pytest.raises(UnreadableError, match=reason) as raised:
        read(written(tmp_path / name, content))
    assert "\n" not in str(raised.value)
