import io
import json
from datetime import UTC, datetime

import pytest

from rarr.retrievers.extract import json_records
from rarr.retrievers.extract.extracted_document import Document, UnreadableError
from rarr.retrievers.extract.json_records import read_array, read_lines


def lines(data: bytes, max_bytes: int = 1000) -> tuple[list[Document], list[str]]:
    notes: list[str] = []
    return list(read_lines(io.BytesIO(data), max_bytes, notes.append)), notes


def test_a_record_gives_text_title_address_and_date() -> None:
    record = {
        "text": "Hi.",
        "title": "T",
        "url": "https://x.org",
        "date": "2020-03-04",
        "id": 7,
        "lang": "en",
    }
    expected = Document("Hi.", "T", "https://x.org", 1, datetime(2020, 3, 4, tzinfo=UTC))
    assert list(read_array(json.dumps(record).encode(), print)) == [expected]


def test_items_are_numbered_from_one() -> None:
    documents = read_array(b'[{"text": "a"}, {"text": "b", "source": "s"}]', print)
    assert list(documents) == [Document("a", item=1), Document("b", source="s", item=2)]


def test_items_without_text_are_left_out_by_number() -> None:
    notes: list[str] = []
    assert len(list(read_array(b'[{"text": "a"}, 3, {"text": null}]', notes.append))) == 1
    assert [note.split(" is")[0] for note in notes] == ["item 2", "item 3"]


@pytest.mark.parametrize("data", [b"{", b"\xff\xfe\xfd", b"[" * 100_000, b"", b"1" * 5000 + b"x"])
def test_broken_json_is_refused(data: bytes) -> None:
    with pytest.raises(UnreadableError, match="JSON cannot be read"):
        list(read_array(data, print))


def test_bad_lines_are_left_out_by_number() -> None:
    documents, notes = lines(b'\xef\xbb\xbf{"text": "a"}\r\n\nbad\n{"text": "b"}\n\xff\n[1]')
    assert [document.item for document in documents] == [1, 4]
    assert [note.split(" is")[0] for note in notes] == ["line 3", "line 5", "line 6"]


def test_a_line_that_is_not_a_record_ends_the_reading(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(json_records, "LONGEST_RECORD", 1_000_000)
    with pytest.raises(UnreadableError, match="line 2 holds more than 1 MB: split it"):
        lines(b'{"text": "a"}\n' + b"x" * 1_000_001, max_bytes=10_000_000)


@pytest.mark.slow
@pytest.mark.parametrize("unpacked", [b'{"text": "a"}\n' * 100_000, b"\n" * 1_000_001, b"x" * 1_000_001])
def test_total_size_of_lines_is_bounded(unpacked: bytes) -> None:
    with pytest.raises(UnreadableError, match="it holds more than 1 MB: split it or raise max_file_mb"):
        lines(unpacked, max_bytes=1_000_000)


def test_lines_of_exactly_the_maximum_size_are_read() -> None:
    assert len(lines(b'{"text":"abcd"}\n' * 1000, max_bytes=16_000)[0]) == 1000


@pytest.mark.parametrize("field", ["title", "url", "date"])
def test_fields_of_another_type_count_as_missing(field: str) -> None:
    assert lines(json.dumps({"text": "a", field: [1]}).encode())[0] == [Document("a", item=1)]
