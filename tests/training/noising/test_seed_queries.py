"""Files of queries."""

from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.training.rows import read_seeds


def test_queries_are_read_once_from_text_or_json(tmp_path: Path) -> None:
    path = tmp_path / "q"
    path.write_text('﻿Who?\r\n\n{"query": "Who  is it?", "id": 3}\nWho?\n', encoding="utf-8")
    assert read_seeds(path) == ["Who?", "Who is it?"]


@pytest.mark.parametrize(
    ("content", "message"),
    [
        (b"", "has no query: give one a line"),
        (b"\n \n", "has no query"),
        (b"a\xff", r"is not UTF-8 \(byte 0xff at offset 1\)"),
        (b'Who?\n{"query": ', "line 2, is not JSON"),
        (b'{"text": "a"}', 'line 1, has no "query"'),
        (b'{"query": 3}', 'line 1, has no "query"'),
    ],
)
def test_other_files_are_refused(tmp_path: Path, content: bytes, message: str) -> None:
    path = tmp_path / "q"
    path.write_bytes(content)
    with pytest.raises(InputError, match=message):
        read_seeds(path)


def test_missing_file_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="cannot be read"):
        read_seeds(tmp_path / "q")
