"""Files become documents by their kind; what cannot be read is an error of one line with its cause."""

import json
import tracemalloc
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from rarr.retrievers.extract import files, pdf as pdf_module
from rarr.retrievers.extract.extracted_document import Document, UnreadableError, decode, published
from rarr.retrievers.extract.files import extract

MEGABYTE = 1_000_000


def read(path: Path, max_bytes: int = MEGABYTE) -> list[Document]:
    return list(extract(path, max_bytes, print))


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


def pdf(text: str) -> bytes:
    """A PDF with one page a line of `text`."""
    pages = text.splitlines()
    kids = " ".join(f"{4 + 2 * number} 0 R" for number in range(len(pages)))
    objects = [
        "<< /Type /Catalog /Pages 2 0 R >>",
        f"<< /Type /Pages /Count {len(pages)} /Kids [{kids}] >>",
        "<< /Type /Font /Subtype /Type1 /BaseFont /Helvetica >>",
    ]
    for number, line in enumerate(pages):
        content = f"BT /F1 12 Tf 72 720 Td ({line}) Tj ET"
        font = "/Resources << /Font << /F1 3 0 R >> >>"
        objects += [
            f"<< /Type /Page /Parent 2 0 R /MediaBox [0 0 612 792] {font} /Contents {5 + 2 * number} 0 R >>",
            f"<< /Length {len(content)} >>\nstream\n{content}\nendstream",
        ]
    body, offsets = "%PDF-1.4\n", []
    for number, item in enumerate(objects, start=1):
        offsets.append(len(body))
        body += f"{number} 0 obj\n{item}\nendobj\n"
    table = "".join(f"{offset:010} 00000 n \n" for offset in offsets)
    size = len(objects) + 1
    tail = f"trailer << /Size {size} /Root 1 0 R >>\nstartxref\n{len(body)}\n%%EOF"
    return f"{body}xref\n0 {size}\n0000000000 65535 f \n{table}{tail}".encode()


@pytest.mark.parametrize(
    "text", ["One.\r\n\r\nTwo.\rThree.", "  Spaces stay. \n\n\n", "שלום עולם. مرحبا.", "\ta\vb\f"]
)
def test_text_is_read_unchanged(tmp_path: Path, text: str) -> None:
    assert read(written(tmp_path / "a.txt", text)) == [Document(text, "a")]


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("Intro.\n\n## The *Peach* ##\n\nText.", "The *Peach"),
        ("Peaches\n=======\n\nText.", "Peaches"),
        ("No heading here.", "file"),
        ("---\ntags: x\ntitle: 'My peaches'\n---\n# Other\n", "My peaches"),
        ("---\ntags: x\n---\n# Other\n\nText.", "Other"),
        ("# Peaches\n\n## Kinds\n\nTwo.\n\n## Uses\n\nMany.", "Peaches"),
        ("## Alder\n\nA tree.\n\n## Birch\n\nA tree.", "file"),
        ("# The file\n\nIntro.\n\n# History\n\nOld.", "The file"),
    ],
)
def test_title_is_in_the_front_matter_or_the_first_heading_or_the_name(
    tmp_path: Path, text: str, title: str
) -> None:
    assert read(written(tmp_path / "file.md", text))[0].title == title


def test_pdf_of_too_much_text_is_refused() -> None:
    with pytest.raises(UnreadableError, match="its PDF holds more than 5 characters: split it"):
        pdf_module.read_pdf(pdf("Peaches grow."), most_characters=5)


def shown(*lines: str) -> bytes:
    """A PDF with these lines on a page; cells of a line are separated by a bar."""
    down = ") Tj 0 -14 Td ("
    across, back = ") Tj 140 0 Td (", ") Tj {} 0 Td ("
    cells = (
        line.replace("|", across) + back.format(-140 * line.count("|")) * ("|" in line) for line in lines
    )
    return pdf(down.join(cells))


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
    assert pdf_module.read_pdf(shown(first, second))[0].strip() == joined


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'Lake,"Depth, m"\nUle,"12.9"\n\nSor,"3.6"\n'),
        ("a.csv", "Lake;Depth, m\r\nUle;12.9\r\nSor;3.6\r\n"),
        ("a.tsv", "Lake\tDepth, m\nUle\t12.9\nSor\t3.6"),
    ],
)
def test_file_of_rows_is_a_table(tmp_path: Path, name: str, content: str) -> None:
    [document] = read(written(tmp_path / name, content))
    assert document.title == "a"
    assert document.text == "| Lake | Depth, m |\n| --- | --- |\n| Ule | 12.9 |\n| Sor | 3.6 |"


def lines(folder: Path, data: bytes) -> tuple[list[Document], list[str]]:
    notes = list[str]()
    return list(extract(written(folder / "a.jsonl", data), MEGABYTE, notes.append)), notes


def test_a_record_gives_text_title_address_and_date(tmp_path: Path) -> None:
    record = {"text": "Hi.", "title": "T", "url": "https://x.org", "date": "2020-03-04", "id": 7}
    expected = Document("Hi.", "T", "https://x.org", 1, datetime(2020, 3, 4, tzinfo=UTC))
    assert read(written(tmp_path / "a.json", json.dumps(record))) == [expected]


def test_bad_records_are_left_out_by_number(tmp_path: Path) -> None:
    notes = list[str]()
    array = written(tmp_path / "a.json", '[{"text": "a"}, 3, {"text": null}]')
    assert list(extract(array, MEGABYTE, notes.append)) == [Document("a", item=1)]
    assert [note.split(" is")[0] for note in notes] == ["item 2", "item 3"]
    documents, notes = lines(tmp_path, b'\xef\xbb\xbf{"text": "a"}\r\n\nbad\n{"text": "b"}\n\xff\n[1]')
    assert [document.item for document in documents] == [1, 4]
    assert [note.split(" is")[0] for note in notes] == ["line 3", "line 5", "line 6"]


def test_documents_before_a_line_that_is_no_record_are_kept(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(files, "LONGEST_RECORD", 1000)
    documents = extract(written(tmp_path / "a.jsonl", '{"text": "a"}\n' + "x" * 1001), MEGABYTE, print)
    assert next(documents).text == "a"
    with pytest.raises(UnreadableError, match="line 2 holds more than"):
        list(documents)


TEXT = "Pfirsiche wachsen überall.\r\nשלום עולם"


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32"])
def test_unicode_is_read_with_its_line_ends(encoding: str) -> None:
    assert decode(TEXT.encode(encoding)) == TEXT


def test_other_encodings_are_declared_or_guessed() -> None:
    text = "Die Pfirsiche wachsen überall in Österreich, sagt der Gärtner, und für ihn sind sie schön. " * 3
    notes = list[str]()
    assert decode(text.encode("cp1252"), complain=notes.append) == text
    assert len(notes) == 1
    assert decode("Привет, мир".encode("windows-1251"), "windows-1251") == "Привет, мир"
    assert decode(b"caf\xe9 cr\xe8me, tr\xe8s agr\xe9able " * 5, "x-nonsense").startswith("caf")


@given(st.binary(max_size=60))
def test_bytes_are_text_or_refused(data: bytes) -> None:
    with suppress(UnreadableError):
        assert isinstance(decode(data), str)


@pytest.mark.parametrize(
    ("value", "expected"),
    [
        ("2020-03-04", datetime(2020, 3, 4, tzinfo=UTC)),
        (" 2020-03-04T05:06+02:00 ", datetime(2020, 3, 4, 5, 6, tzinfo=timezone(timedelta(hours=2)))),
        ("Wed, 04 Mar 2020 00:00:00 GMT", datetime(2020, 3, 4, tzinfo=UTC)),
        (datetime(2020, 3, 4), datetime(2020, 3, 4, tzinfo=UTC)),
        (datetime(2020, 3, 4).date(), datetime(2020, 3, 4, tzinfo=UTC)),
        ("last week", None),
        (1583280000, None),
    ],
)
def test_dates_are_read_as_sources_write_them(value: object, expected: datetime | None) -> None:
    assert published(value) == expected


@pytest.mark.parametrize(
    ("name", "content", "reason"),
    [
        ("a.txt", "", "holds no text"),
        ("a.txt", " \r\n", "holds no text"),
        ("a.txt", b"\x00\x01", "save it as UTF-8"),
        ("a.json", "{", "JSON cannot be read"),
        ("a.jsonl", "{\n{", "holds no text"),
        ("a.pdf", "no PDF", "PDF cannot be read"),
        ("a.csv", f"a,b\n{'c' * 200_000},d", "rows cannot be read"),
        ("a.pdf", pdf("Hi")[:300], "PDF cannot be read|holds no text"),
        ("a.txt", "x" * 1_000_001, "more than 1 MB: split it or raise max_file_mb"),
    ],
)
def test_unreadable_file_is_a_one_line_error_with_its_cause(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    with pytest.raises(UnreadableError, match=reason) as raised:
        read(written(tmp_path / name, content))
    assert "\n" not in str(raised.value)


def test_an_operating_system_error_is_not_lasting(tmp_path: Path) -> None:
    with pytest.raises(UnreadableError, match="No such file") as raised:
        read(tmp_path / "none.txt")
    assert not raised.value.lasting


@pytest.mark.slow
def test_memory_for_a_text_does_not_grow_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Der Fluß ist breit – und tief.\n\n" * 1_200_000, encoding="utf-8")
    tracemalloc.start()
    parts = sum(1 for _ in extract(tmp_path / "a.txt", 100 * MEGABYTE, print))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert parts > 100
    assert peak < 30 * MEGABYTE < (tmp_path / "a.txt").stat().st_size
