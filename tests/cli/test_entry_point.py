"""Help, wrong calls, odd arguments and closed streams: a line each, and nothing is done for them."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any
from unittest.mock import Mock

import pytest
from test_document_blocks import unknown

from cli.conftest import Command, is_error_line
from rarr.cli.entry_point import app

CORPUS = ["--corpus", "notes"]
BATCH = ["batch", "data.jsonl", "-o", "out.jsonl", *CORPUS]
CALLS: list[tuple[list[str], str]] = [
    (["nope"], "No such command 'nope'"),
    (["trace"], "Missing command: see rarr trace --help"),
    (["revise", "- One."], "put -- before a text"),
    (["revise", "--", "-5 is it.", *CORPUS], "(--corpus notes): see rarr revise --help, and put options"),
    (["revise", "One.", "--deadline", "-1"], "setting 'deadline_s' is '-1': give a number greater than 0"),
    (["index", "notes", "-o", "draft.md"], "File exists: 'draft.md'): choose another folder"),
    (["revise", "-"], "standard input is empty"),
    (["revise", "a\udce9"], "TEXT is not UTF-8 (byte 0xe9 at offset 1)"),
    (["revise", "One.", "--context", "a\udce9", *CORPUS], "--context is not UTF-8 (byte 0xe9 at offset 1)"),
    (["write", "a\udce9", *CORPUS], "TOPIC is not UTF-8 (byte 0xe9 at offset 1)"),
    (["revise", "--file", "latin.txt"], "latin.txt is not UTF-8 (byte 0xe9 at offset 3)"),
    (["revise", "--file", "nope.md"], "nope.md cannot be read (No such file or directory): give the path"),
    (["revise", "draft.md"], "TEXT is the name of a file or folder: give the text in quotes, or its file"),
    (["revise", "nope.md", *CORPUS], "TEXT is the name of a file or folder"),
    (["revise", "One.", "--set", "nope=1"], "'nope'"),
    (["revise", "One.", "--corpus", "https://example.org"], "'https://example.org' is an address: give"),
    (["write", "Dam", *CORPUS, "-o", "none/a.md"], "is in no folder that exists: make none, or name"),
    (["write", "Dam", *CORPUS], "an article needs a language model for plan"),
    (["trace", "export", "last", "-o", "docs"], "-o docs is a folder: name a file in it"),
    (["check", "docs", *CORPUS], "docs holds no document: name a file"),
    (["check", "draft.md", *CORPUS, "-o", "draft.md"], "would replace a file that is read"),
    (["check", "nope", *CORPUS], "nope does not exist: name a file"),
    (["index", "", "-o", "out"], "an empty name names nothing: give a path"),
    (["check", "", *CORPUS], "an empty name does not exist: name a file"),
    (["verify", "One.", "--against", "empty.md", "--limit", "1"], "--limit is for the claims of a file"),
    (["verify", "One."], "give --against FILE for one claim, or -o DIR"),
    (["verify", "One.", "--against", "empty.md"], "empty.md cannot be used: it holds no text"),
    (["verify", "One.", "--against", "nope"], "nope does not exist: give the path"),
    (["verify", "One.", "--against", "notes"], "notes is no document: give the path"),
    (["batch", "data.jsonl", "-o", "data.jsonl"], "is the input"),
    ([*BATCH, "--ray", "local"], 'pip install "rarr[ray]"'),
    (["serve", "--mode", "nope"], "setting 'serve_mode' is 'nope': give 'revise', 'cite'"),
    (["train", "data", "draft.md", "-o", "rows.jsonl", *CORPUS], "model"),
]


@pytest.fixture(autouse=True)
def _files(notes: Path) -> None:
    Path("docs").mkdir()
    Path("latin.txt").write_bytes("Caf\xe9.".encode("latin-1"))
    Path("draft.md").write_text("The bridge opened in 1935.")
    Path("data.jsonl").write_text('{"text": "The bridge opened in 1937."}\n')
    Path("empty.md").touch()


@pytest.mark.parametrize("module", ["uvicorn", "rarr.serve.proxy"])
def test_serve_names_the_extra_for_its_packages_alone(
    command: Command, module: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delitem(sys.modules, "rarr.serve.server", raising=False)
    monkeypatch.setitem(sys.modules, module, None)
    assert ('pip install "rarr[serve]"' in command("serve").err) == (module == "uvicorn")


def file_sizes() -> dict[Path, int]:
    return {path: path.stat().st_size for path in Path().iterdir() if path.is_file()}


@pytest.mark.parametrize(("argv", "message"), CALLS, ids=lambda case: " ".join(case)[:40] if case else "-")
def test_wrong_call_is_one_line_and_does_nothing(
    command: Command, argv: list[str], message: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(sys.modules, "ray", None)  # it is not installed
    before = file_sizes()
    done = command(*argv)
    assert (done.status, done.out, is_error_line(done.err)) == (2, b"", True), done
    assert (message in done.err, file_sizes()) == (True, before)


def test_interrupt_within_a_process_is_no_defect(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rarr.batches.file_batch.input_rows", Mock(side_effect=KeyboardInterrupt))
    done = command(*BATCH)
    assert (done.status, done.err.strip()) == (130, "rarr: interrupted")


def help_texts(called: Any = app) -> Iterator[str]:
    yield called.help
    for inner in getattr(called, "commands", {}).values():
        yield from help_texts(inner)


def test_examples_of_the_help_name_options_of_their_command() -> None:
    lines = [line.strip() for text in help_texts() for line in text.splitlines()]
    calls = [shlex.split(line, comments=True)[1:] for line in lines if line.startswith("rarr ")]
    assert len(calls) > 20 and [call for call in calls if unknown(call)] == []


HEAVY = {"langgraph", "langchain_core", "trafilatura", "tantivy", "pydantic", "rich", "httpx2"}
PLAIN = {"PYTHONPATH": ":".join(sys.path), "LC_ALL": "C", "PYTHONUTF8": "0", "RARR_TRACE": "false"}


@pytest.mark.parametrize("argv", ["revise --help", "--help", "--version"])
def test_help_loads_no_slow_packages(argv: str) -> None:
    program = f"import sys; from rarr.cli import run; run({argv.split()}); print({HEAVY} & {{*sys.modules}})"
    done = subprocess.run([sys.executable, "-c", program], env=PLAIN, capture_output=True, check=True)
    assert done.stdout.decode().splitlines()[-1] == "set()"


def test_process_of_a_batch_leaves_the_pipeline_to_its_workers(tmp_path: Path) -> None:
    (tmp_path / "in.jsonl").write_text('{"text": ""}\n')  # no worker is started
    program = "import sys; from rarr.cli import run; run(sys.argv[1:]); print('langgraph' in sys.modules)"
    argv = [sys.executable, "-c", program, "batch", "in.jsonl", "-o", "out.jsonl"]
    done = subprocess.run(argv, env=PLAIN, cwd=tmp_path, capture_output=True, check=True)
    assert (done.stdout, (tmp_path / "out.jsonl").exists()) == (b"False\n", True)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("redirection", "status", "words"),
    [
        ("<&-", 2, b"standard input is closed: give the text in quotes"),
        ("< draft.md >&-", 2, b"standard output is closed"),
        ("< draft.md >/dev/full", 2, b"No space"),
        ("< draft.md 2>&-", 0, b""),
    ],
)
def test_closed_or_full_streams_are_one_line(redirection: str, status: int, words: bytes) -> None:
    call = shlex.join([sys.executable, "-m", "rarr", "revise", "-", *CORPUS])
    done = subprocess.run(["bash", "-c", f"{call} {redirection}"], capture_output=True, check=False)
    assert (done.returncode, words in done.stderr, b"Traceback" in done.stderr) == (status, True, False)
