"""Files become documents by their kind; what cannot be read is an error of one line with its cause."""

import csv
import json
import tracemalloc
from contextlib import suppress
from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

import pytest
from hypothesis import given, strategies as st

from rarr.retrievers.extract.extracted_document import Document, UnreadableError, decode, published
from rarr.retrievers.extract.files import extract


def read(path: Path) -> list[Document]:
    return list(extract(path, print))


def written(path: Path, content: str | bytes) -> Path:
    path.write_bytes(content.encode() if isinstance(content, str) else content)
    return path


@pytest.mark.parametrize(
    ("text", "title"),
    [
        ("  Intro.\r\n\n## The *Peach* ##\n\nText.\rשלום עולם.\n\n", "The *Peach"),
        ("Peaches\n=======\n\nText.", "Peaches"),
        ("No heading here.", "file"),
        ("---\ntags: x\ntitle: 'My peaches'\n---\n# Other\n", "My peaches"),
        ("---\ntags: x\n---\n# Other\n\nText.", "Other"),
        ("# Peaches\n\n## Kinds\n\nTwo.\n\n## Uses\n\nMany.", "Peaches"),
        ("## Alder\n\nA tree.\n\n## Birch\n\nA tree.", "file"),
        ("# The file\n\nIntro.\n\n# History\n\nOld.", "The file"),
    ],
)
def test_text_is_unchanged_and_titled_by_front_matter_heading_or_name(
    tmp_path: Path, text: str, title: str
) -> None:
    assert read(written(tmp_path / "file.md", text)) == [Document(text, title)]


@pytest.mark.parametrize(
    ("name", "content"),
    [
        ("a.csv", 'Lake,"Depth, m"\nUle,"12.9"\n\nSor,"3.6"\n'),
        ("a.csv", "Lake;Depth, m\r\nUle;12.9\r\nSor;3.6\r\n"),
        ("a.tsv", "Lake\tDepth, m\nUle\t12.9\nSor\t3.6"),
    ],
)
def test_file_of_rows_is_a_table(tmp_path: Path, name: str, content: str) -> None:
    table = "| Lake | Depth, m |\n| --- | --- |\n| Ule | 12.9 |\n| Sor | 3.6 |"
    assert read(written(tmp_path / name, content)) == [Document(table, "a")]


def test_a_record_gives_text_title_address_and_date(tmp_path: Path) -> None:
    record = {"text": "Hi.", "title": "T", "url": "https://x.org", "date": "2020-03-04", "id": 7}
    expected = Document("Hi.", "T", "https://x.org", 1, datetime(2020, 3, 4, tzinfo=UTC))
    assert read(written(tmp_path / "a.json", json.dumps(record))) == [expected]


@pytest.mark.parametrize(
    ("name", "content", "items", "left_out"),
    [
        ("a.json", b'[{"text": "a"}, 3, {"text": null}]', [1], ["item 2", "item 3"]),
        (
            "a.jsonl",
            b'\xef\xbb\xbf{"text": "a"}\r\n\nbad\n{"text": "b"}\n\xff\n[1]',
            [1, 4],
            ["line 3", "line 5", "line 6"],
        ),
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


@pytest.mark.parametrize("encoding", ["utf-8", "utf-8-sig", "utf-16", "utf-32", "cp1252"])
def test_encodings_are_marked_or_guessed(encoding: str) -> None:
    notes = list[str]()
    assert decode(TEXT.encode(encoding), complain=notes.append) == TEXT
    assert len(notes) == (encoding == "cp1252")


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
        ("a.txt", " \r\n", "holds no text"),
        ("a.txt", b"\x00\x01", "save it as UTF-8"),
        ("a.json", "{", "JSON cannot be read"),
        ("a.jsonl", "{\n{", "holds no text"),
        ("a.pdf", "no PDF", "it cannot be read \\(PdfStreamError"),
    ],
)
def test_unreadable_file_is_a_one_line_error_with_its_cause(
    tmp_path: Path, name: str, content: str | bytes, reason: str
) -> None:
    with pytest.raises(UnreadableError, match=reason) as raised:
        read(written(tmp_path / name, content))
    assert "\n" not in str(raised.value)


def test_long_cell_is_read_whatever_limit_the_process_has(tmp_path: Path) -> None:
    csv.field_size_limit(1000)
    [document] = read(written(tmp_path / "a.csv", f"a,b\n{'c' * 200_000},d"))
    assert "c" * 200_000 in document.text


@pytest.mark.slow
def test_memory_for_a_text_does_not_grow_with_its_size(tmp_path: Path) -> None:
    (tmp_path / "a.txt").write_text("Der Fluß ist breit – und tief.\n\n" * 1_200_000, encoding="utf-8")
    tracemalloc.start()
    parts = sum(1 for _ in extract(tmp_path / "a.txt", print))
    _, peak = tracemalloc.get_traced_memory()
    tracemalloc.stop()
    assert parts > 100
    assert peak < 30_000_000 < (tmp_path / "a.txt").stat().st_size
