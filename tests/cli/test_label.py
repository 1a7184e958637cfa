"""`rarr label` writes a page, and merges exports; whatever goes wrong is one line."""

import json
from pathlib import Path

import pytest
from evals.rating.makers import CLAIM, NO, NOT_ALL, PAIR, YES, data, export

from cli.helpers import Command, is_complaint


@pytest.fixture
def rows(tmp_path: Path) -> Path:
    return data(tmp_path / "data.jsonl", {"id": "a", **CLAIM}, {"id": "b", **CLAIM, **PAIR})


def test_page_is_written_and_named(command: Command, rows: Path) -> None:
    done = command("label", "data.jsonl", "-o", "page.html")
    assert (done.status, done.err) == (0, "")
    assert done.out.decode().startswith("page.html: 2 items to rate, data ")
    assert Path("page.html").read_text(encoding="utf-8").startswith("<!doctype html>")


def test_merge_writes_labels_and_prints_agreement(command: Command, rows: Path) -> None:
    done = command(
        *("label", "--merge", "-o", "labels.jsonl"),
        str(export(rows, "Ada", YES, NO | {"intent": "similar"})),
        str(export(rows, "Ben", YES, NOT_ALL | {"intent": "different"})),
    )
    assert (done.status, done.err) == (0, "")
    lines = done.out.decode().splitlines()
    assert lines[0] == "2 raters: Ada, Ben; 2 items"
    assert [line.split()[:3] for line in lines[3:6]] == [
        ["understandable", "2", "1.000"],
        ["attribution", "2", "0.500"],
        ["intent", "1", "0.000"],
    ]
    assert lines[-2:] == [
        "1 attributable, 0 extrapolatory, 0 contradictory, 1 without a majority",
        "labels: labels.jsonl",
    ]
    labels = [json.loads(line) for line in Path("labels.jsonl").read_text().splitlines()]
    assert [(row["id"], row["label"]) for row in labels] == [("a", "attributable"), ("b", None)]


def test_name_of_a_rater_steers_no_terminal(command: Command, rows: Path) -> None:
    done = command(
        "label", "--merge", str(export(rows, "x", YES, rater="A\x1b[2J\nda")), "-o", "labels.jsonl"
    )
    assert done.out.startswith(b"1 rater: A")
    assert b"\x1b" not in done.out
    assert b"da; 2 items\n" in done.out.splitlines(keepends=True)[0]


def test_merge_prints_json(command: Command, rows: Path) -> None:
    done = command("label", "--merge", str(export(rows, "Ada", YES)), "-o", "labels.jsonl", "--json")
    assert json.loads(done.out)["labels"]["attributable"] == 1
    assert done.err.splitlines() == [
        "rarr: warning: Ada rated 1 of 2 items: the others have fewer votes",
        'rarr: warning: labels.jsonl has 1 label of one rater alone (see "label_of"): agreement needs two',
    ]


@pytest.mark.parametrize(
    ("argv", "message"),
    [
        (["-o", "page.html"], "Missing argument 'DATA'"),
        (["data.jsonl"], "Missing option"),
        (["nowhere.jsonl", "-o", "page.html"], "nowhere.jsonl cannot be read (No such file"),
        (["empty.jsonl", "-o", "page.html"], "empty.jsonl has no row to rate"),
        (["broken.jsonl", "-o", "page.html"], "line 1 of broken.jsonl: it is not JSON"),
        (["data.jsonl", "data.jsonl", "-o", "page.html"], "to merge what raters exported, add --merge"),
        (["data.jsonl", "-o", "page.html", "--json"], "--json shows the agreement of raters: add --merge"),
        (["data.jsonl", "-o", "no/page.html"], "the folder no of no/page.html does not exist: make it"),
        (["data.jsonl", "-o", "."], ". is a folder: name a file with -o"),
        (["data.jsonl", "-o", "data.jsonl"], "-o data.jsonl would replace a file that is read"),
        (["--merge", "data.jsonl", "-o", "labels.jsonl"], "data.jsonl is not JSON"),
        (["--merge", "ratings-Ada.json", "nowhere.json", "-o", "l.jsonl"], "nowhere.json cannot be read"),
        (["--merge", "ratings-Ada.json", "ratings-Ada.json", "-o", "l.jsonl"], "are both of the rater 'Ada'"),
        (["--merge", "ratings-Ada.json", "-o", "no/l.jsonl"], "the folder no of no/l.jsonl does not exist"),
        (["--merge", "ratings-Ada.json", "-o", "ratings-Ada.json"], "would replace a file that is read"),
    ],
)
def test_wrong_call_is_one_line_and_writes_nothing(
    command: Command, rows: Path, argv: list[str], message: str
) -> None:
    export(rows, "Ada", YES)
    Path("empty.jsonl").touch()
    Path("broken.jsonl").write_text("{")
    before = {path: path.read_bytes() for path in Path().iterdir() if path.is_file()}
    done = command("label", *argv)
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True)
    assert message in done.err
    assert {path: path.read_bytes() for path in Path().iterdir() if path.is_file()} == before
