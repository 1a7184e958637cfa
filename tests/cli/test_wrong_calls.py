"""Whatever is wrong with a call is one line on standard error and status 2, before anything is done."""

import os
import sys
from pathlib import Path

import pytest

from cli.conftest import Command, Result, is_complaint

CORPUS = ["--corpus", "notes"]
EVAL = ["eval", "data.jsonl", "-o", "out", *CORPUS]
BATCH = ["batch", "data.jsonl", "-o", "out.jsonl", *CORPUS]
CALLS: list[tuple[list[str], str]] = [
    (["nope"], "No such command 'nope'"),
    (["revise", "- One."], "put -- before a text"),
    (["revise", "-"], "standard input is empty"),
    (["revise", "a\udce9"], "TEXT is not UTF-8 (byte 0xe9 at offset 1)"),
    (["revise", "--file", "latin.txt"], "latin.txt is not UTF-8 (byte 0xe9 at offset 3)"),
    (["revise", "draft.md"], "TEXT is the name of a file or folder: give the text in quotes, or its file"),
    (["revise", "nope.md", *CORPUS], "TEXT is the name of a file or folder"),
    (["revise", "One.", "--set", "nope=1"], "'nope'"),
    (["revise", "One.", "--corpus", "https://example.org"], "'https://example.org' is an address: give"),
    (["write", "Dam", *CORPUS, "-o", "none/a.md"], "is in no folder that exists: make none, or name"),
    (["trace", "export", "last", "-o", "docs"], "-o docs is a folder: name a file in it"),
    (["answer", "Who?", "--graph", "none.csv"], "graph none.csv cannot be read"),
    (["check", "docs", *CORPUS], "docs holds no document: name a file"),
    (["check", "draft.md", *CORPUS, "-o", "draft.md"], "would replace a file that is read"),
    (["verify", "One."], "give --against FILE for one claim, or -o DIR"),
    (["verify", "One.", "--against", "empty.md"], "empty.md cannot be used: it holds no text"),
    (["verify", "One.", "--against", "nope"], "nope is no document: give the path"),
    (["batch", "data.jsonl", "-o", "data.jsonl"], "is the input"),
    ([*BATCH, "--ray", "local"], 'pip install "rarr[ray]"'),
    (["train", "data", "draft.md", "-o", "rows.jsonl", *CORPUS], "model"),
    (["serve", "--corpus", "notes"], "--corpus is 'notes': give a path and a name of its own"),
]


@pytest.fixture(autouse=True)
def _files(notes: Path) -> None:
    Path("docs").mkdir()
    Path("latin.txt").write_bytes("Caf\xe9.".encode("latin-1"))
    Path("draft.md").write_text("The bridge opened in 1935.")
    Path("data.jsonl").write_text('{"text": "The bridge opened in 1937."}\n')
    for name in ("empty.jsonl", "empty.md"):
        Path(name).touch()


@pytest.mark.parametrize(("argv", "message"), CALLS, ids=lambda case: " ".join(case)[:40] if case else "-")
def test_wrong_call_is_one_line_and_does_nothing(
    command: Command, argv: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # it is not installed
    before = {path: path.stat().st_size for path in Path().iterdir()}
    done = command(*argv)
    assert (done.status, done.out, is_complaint(done.err)) == (2, b"", True), done
    assert message in done.err
    after = {path: path.stat().st_size for path in Path().iterdir() if path.name not in ("home", "out")}
    assert {path: size for path, size in before.items() if path.is_file()}.items() <= after.items()


TEXT = "The bridge opened in 1935. It is red."
ODD = os.fsdecode(b"odd\xff\xed\xa0\x80")


def is_clean(done: Result) -> bool:
    """Done, or refused in a line that speaks of no defect; what is printed can be read."""
    done.out.decode()
    lines = done.err.splitlines(keepends=True)
    readable = all(is_complaint(line) for line in lines) and "defect" not in done.err
    return readable and (done.status == 0 or (done.status in (2, 3) and bool(lines or done.out)))


@pytest.mark.loopback
@pytest.mark.parametrize(
    "argv",
    [
        ["revise", f"{TEXT} {ODD}"],
        *(["revise", TEXT, option, ODD] for option in ("--context", "--corpus", "--search", "--model")),
        ["revise", TEXT, "--base-url", ODD, "--model", "vllm:a"],
        ["revise", "--file", ODD],
        [ODD],
        ["index", "notes", "-o", ODD],
        ["verify", ODD, "--against", ODD],
        ["check", ODD, *CORPUS],
        ["trace", "show", ODD],
        ["doctor", "--model", f"vllm:{ODD}", "--base-url", "http://127.0.0.1:9/v1"],
    ],
    ids=ascii,
)
def test_arguments_that_are_no_unicode(command: Command, argv: list[str]) -> None:
    assert is_clean(command(*argv))
