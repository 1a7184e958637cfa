"""Rows are read from JSON lines, CSV and Parquet, and what is no row has a problem."""

import json
from pathlib import Path

import pytest

from rarr.batches.rows import input_rows
from rarr.errors import InputError

ROWS = [{"text": 'Ümlaut, "quoted"\nand a line', "n": "1"}, {"text": "second", "n": "2"}]
CSV = '\ufefftext,n\n"Ümlaut, ""quoted""\nand a line",1\nsecond,2\n'


@pytest.mark.parametrize("name", ["A.JSONL", "a.ndjson", "a.csv", "a.parquet"])
def test_every_format_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    path = tmp_path / name
    if name == "a.parquet":
        parquet, table = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow").Table
        parquet.write_table(table.from_pylist(ROWS), path)
    else:
        lines = CSV if name == "a.csv" else "".join(json.dumps(row) + "\n" for row in ROWS)
        path.write_text(lines, encoding="utf-8")
    assert [row.columns for row in input_rows(path)] == ROWS


@pytest.mark.parametrize("line", [b"[1]", b"{", b'{"text": "\xff"}', b"[" * 100_000])
def test_line_that_is_no_row_has_a_problem_and_stops_no_other(line: bytes, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "a"}\n\n' + line + b'\n{"text": "b"}')
    first, wrong, last = input_rows(tmp_path / "a.jsonl")
    assert (first.columns, last.columns, last.place) == ({"text": "a"}, {"text": "b"}, "line 4")
    assert wrong.place == "line 3" and wrong.problem.startswith("it is no JSON object")


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.csv.gz", b"", "no known ending"),
        ("a.csv", b"text\n\xff\n", "is no CSV in UTF-8 .*byte 0xff"),
        ("a.csv", b'text,n\n"a,1\nb,2\n', "unexpected end of data.*: separate cells by commas, close each"),
        ("a.csv", b"id,id\n1,2\n", "two columns of one name"),
        ("a.parquet", b"text", "cannot be read"),
        ("none.jsonl", None, "No such file"),
    ],
)
def test_file_that_cannot_be_read_is_an_error(
    name: str, data: bytes | None, message: str, tmp_path: Path
) -> None:
    if data is not None:
        (tmp_path / name).write_bytes(data)
    with pytest.raises(InputError, match=message):
        list(input_rows(tmp_path / name))
