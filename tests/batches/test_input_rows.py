"""Rows are read from JSON lines, CSV and Parquet, and what is no row is told by its number."""

import json
from pathlib import Path

import pytest

from rarr.batches import input_rows as module
from rarr.batches.input_rows import input_rows
from rarr.errors import InputError

ROWS = [{"text": 'Ümlaut, "quoted"\nand a line', "n": "1"}, {"text": "second", "n": "2"}]


def written(folder: Path, name: str) -> Path:
    path = folder / name
    lines = "".join(json.dumps(row) + "\n" for row in ROWS)
    if ".csv" in name:
        lines = 'text,n\n"Ümlaut, ""quoted""\nand a line",1\nsecond,2\n'
    path.write_text(lines, encoding="utf-8")
    return path


@pytest.mark.parametrize("name", ["a.jsonl", "a.ndjson", "A.JSONL", "a.csv"])
def test_every_format_gives_the_same_rows(name: str, tmp_path: Path) -> None:
    assert [row.columns for row in input_rows(written(tmp_path, name))] == ROWS


def test_parquet_gives_the_same_rows(tmp_path: Path) -> None:
    parquet, table = pytest.importorskip("pyarrow.parquet"), pytest.importorskip("pyarrow").Table
    parquet.write_table(table.from_pylist(ROWS), tmp_path / "a.parquet")
    assert [(row.number, row.columns) for row in input_rows(tmp_path / "a.parquet")] == [
        *enumerate(ROWS, start=1)
    ]


@pytest.mark.parametrize(
    ("line", "problem"),
    [
        (b"[1]", "it is JSON, but not an object in braces: put one JSON object on each line"),
        (
            b"{",
            "it is not JSON (Expecting property name enclosed in double quotes, at character 1): put one JSON"
            " object on each line",
        ),
        (b'{"text": "a", "text": "b"}', "it has 'text' twice: rename one of them"),
        (b'{"text": "a", "given": [{"n": 1, "n": 2}]}', "it has 'n' twice: rename one"),
        (b'{"text": "\xff"}', "it is not UTF-8 (byte 0xff at 10): save the file as UTF-8"),
        (b"[" * 100_000, "it is not JSON that can be read (maximum recursion depth exceeded"),
    ],
)
def test_line_that_is_no_row_has_a_problem(line: bytes, problem: str, tmp_path: Path) -> None:
    (tmp_path / "a.jsonl").write_bytes(b'{"text": "a"}\n\n' + line + b'\n{"text": "b"}')
    first, wrong, last = input_rows(tmp_path / "a.jsonl")
    assert (first.columns, last.columns, last.number) == ({"text": "a"}, {"text": "b"}, 3)
    assert (wrong.number, wrong.line) == (2, 3) and wrong.problem.startswith(problem)


def test_line_that_is_too_long_is_left_out_whole(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(module, "LONGEST", 1 << 20)
    (tmp_path / "a.jsonl").write_text(json.dumps({"text": "x" * (3 << 20)}) + '\n{"text": "b"}\n')
    long, last = input_rows(tmp_path / "a.jsonl")
    assert (long.problem, last.columns) == ("it has more than 1 MB: divide the text", {"text": "b"})


@pytest.mark.parametrize(
    ("name", "data", "message"),
    [
        ("a.txt", b"", "no known ending"),
        ("a.csv.gz", b"", "no known ending"),
        ("a.csv", b"text\n\xff\n", "line 2, is not UTF-8"),
        (
            "a.csv",
            b'text,n\n"a,1\nb,2\n',
            r"after line 1, is not CSV \(unexpected end of data\): close each quote",
        ),
        (
            "a.csv",
            b'text\n"a" b\n',
            "after line 1, is not CSV .*: close each quote, and double quotes within a cell",
        ),
        ("a.csv", "text\na\n".encode("utf-16"), "is not UTF-8: convert the file, as with iconv"),
        ("a.csv", b"id;text\n1;a\n", "separates its cells by ';': separate them by commas"),
        ("a.csv", b"id\ttext\n1\ta\n", "separates its cells by .*: separate them by commas"),
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
