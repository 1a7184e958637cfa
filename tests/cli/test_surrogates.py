"""Bytes that are no Unicode, in arguments, files and variables: done, or one line that says what to mend."""

import json
import os
import shutil
from pathlib import Path

import pytest

import rarr
from cli.helpers import Command, Result, is_complaint
from rarr.testing import refused_url

TEXT = "The bridge opened in 1935. It is red."
ODD = os.fsdecode(b"odd\xff\xed\xa0\x80")
RECORD = {"text": "The bridge opened in 1937.", "url": "https://a.org/", "title": "Bridge"}


def is_clean(done: Result) -> bool:
    """Done, or refused in a line that speaks of no defect; what is printed can be read."""
    done.out.decode()
    lines = done.err.splitlines(keepends=True)
    readable = all(is_complaint(line) for line in lines) and "defect" not in done.err
    return readable and (done.status == 0 or (done.status in (2, 3) and bool(lines or done.out)))


@pytest.mark.parametrize(
    "argv",
    [
        ["revise", f"{TEXT} {ODD}"],
        ["revise", TEXT, "--context", ODD],
        ["revise", TEXT, "--corpus", ODD],
        ["revise", TEXT, "--search", ODD],
        ["revise", TEXT, "--model", ODD],
        ["revise", TEXT, "--model", f"nonesuch:{ODD}"],
        ["revise", TEXT, "--corpus", "notes", "--model", f"scripted:{ODD}"],
        ["revise", TEXT, "--base-url", ODD, "--model", "vllm:a"],
        ["revise", TEXT, "--prompts", ODD],
        ["revise", TEXT, "--preset", ODD],
        ["revise", TEXT, "--corpus", "notes", "--include-domain", ODD],
        ["revise", TEXT, "--published-after", ODD],
        ["revise", TEXT, f"--{ODD}"],
        ["revise", "--file", ODD],
        [ODD],
        ["index", ODD, "-o", "index"],
        ["index", "notes", "-o", ODD],
        ["eval", ODD, "-o", "scores"],
        ["eval", "data.jsonl", "-o", ODD, "--corpus", "notes"],
        ["eval", "data.jsonl", "-o", "scores", "--corpus", "notes", "--fail-under", f"{ODD}=1"],
        ["eval", "--compare", ODD, ODD],
        ["trace", "show", ODD],
        ["trace", "show", "last", "--node", ODD],
        ["trace", "replay", ODD],
        ["trace", "replay", "last", "--node", ODD],
        ["trace", "import", ODD],
        ["trace", "export", ODD],
        ["trace", "prune", ODD],
        ["train", "data", ODD, "-o", "rows.jsonl", "--model", "vllm:a"],
        ["doctor", "--offline", "--search", ODD],
        ["doctor", "--offline", "--corpus", ODD],
        ["doctor", "--offline", "--json", "--search", ODD],
    ],
    ids=lambda argv: ascii(" ".join(argv)),
)
def test_surrogate_in_an_argument(command: Command, notes: Path, argv: list[str]) -> None:
    Path("data.jsonl").write_text(json.dumps({"text": TEXT}) + "\n")
    assert is_clean(command(*argv))


@pytest.mark.parametrize(
    "name", ["MODEL", "CORPUS", "SEARCH", "BASE_URL", "RERANKER", "HOME", "USER_AGENT", "WINDOW"]
)
def test_surrogate_in_a_variable(
    command: Command, monkeypatch: pytest.MonkeyPatch, notes: Path, name: str
) -> None:
    monkeypatch.setenv("RARR_CORPUS", str(notes))
    monkeypatch.setenv(f"RARR_{name}", ODD)
    assert is_clean(command("revise", TEXT))


@pytest.mark.loopback
def test_surrogate_in_a_key(command: Command, monkeypatch: pytest.MonkeyPatch, notes: Path) -> None:
    monkeypatch.setenv("RARR_API_KEY", ODD)
    done = command("revise", TEXT, "--corpus", "notes", "--model", "vllm:a", "--base-url", refused_url())
    assert (done.status, is_clean(done)) == (3, True)


@pytest.mark.slow
def test_surrogates_in_a_corpus_and_its_name(command: Command) -> None:
    folder = Path(ODD)
    folder.mkdir()
    record = {name: f"{value} \ud800" for name, value in RECORD.items()}
    (folder / "records.jsonl").write_text(json.dumps(record) + "\n")
    (folder / f"{ODD}.md").write_text("Not Unicode, by its name.")
    done = command("revise", TEXT, "--corpus", ODD, "--json")
    assert (done.status, done.err) == (0, "")
    revision = json.loads(done.out)
    assert revision["evidence"][0]["source"] == "https://a.org/ \ufffd"
    assert [warning["code"] for warning in revision["warnings"]] == ["file_skipped"]
    shown = command("trace", "show", "last", "--json")
    assert json.loads(shown.out)["run_id"] == revision["run_id"]


@pytest.mark.slow
def test_surrogate_in_a_corpus_without_addresses(command: Command) -> None:
    folder = Path(ODD)
    folder.mkdir()
    (folder / "bridge.md").write_text(RECORD["text"])
    revision = json.loads(command("revise", TEXT, "--corpus", ODD, "--json").out)
    assert revision["evidence"][0]["source"].endswith("/bridge.md")
    assert command("index", ODD, "-o", "index").status == 0
    assert json.loads(command("revise", TEXT, "--corpus", "index", "--json").out)["evidence"]


@pytest.mark.slow
def test_surrogates_in_rows_of_an_evaluation(command: Command) -> None:
    evidence = {name: f"{value} \ud800" for name, value in RECORD.items()}
    rows = [
        {"id": "a\ud800", "text": f"{TEXT} \udfff", "context": "\ud800", "evidence": [evidence]},
        {"text": TEXT, "revised": f"{TEXT} \ud800", "evidence": [RECORD]},
    ]
    Path("data.jsonl").write_text("".join(json.dumps(row) + "\n" for row in rows))
    done = command("eval", "data.jsonl", "-o", "scores", "--json")
    assert (done.status, done.err) == (0, "")
    assert [row["id"] for row in json.loads(done.out)["rows"]] == ["a\ufffd", "2"]
    again = command("eval", "data.jsonl", "-o", "scores", "--json")
    assert (again.status, again.out) == (0, done.out)


@pytest.mark.slow
def test_surrogates_in_the_names_of_an_evaluation(command: Command, notes: Path) -> None:
    Path(f"{ODD}.jsonl").write_text(json.dumps({"text": TEXT}) + "\n")
    notes.rename(ODD)
    prompts = Path(f"{ODD}-prompts")
    prompts.mkdir()
    for name in ("edit.md", "edit_in_context.md"):
        shutil.copy(Path(rarr.__file__).parent / "prompts" / name, prompts / name)
    argv = ["eval", f"{ODD}.jsonl", "-o", f"{ODD}-scores", "--corpus", ODD, "--prompts", str(prompts)]
    done = [command(*argv), command(*argv)]
    assert [(run.status, run.err) for run in done] == [(0, "")] * 2
    assert Path(f"{ODD}-scores", "report.json").is_file()


def test_surrogate_in_the_name_of_a_draft(command: Command, notes: Path) -> None:
    Path(f"{ODD}.md").write_text(TEXT)
    assert command("revise", "--file", f"{ODD}.md", "--corpus", "notes").status == 0


def test_surrogates_in_seed_queries(command: Command) -> None:
    Path("seeds").write_text(json.dumps({"query": "Who? \ud800"}) + "\n")
    Path("script.json").write_text(json.dumps({"Who": "\ud800"}))
    notes = Path("notes")
    notes.mkdir()
    (notes / "a.md").write_text("Who is he?")
    assert is_clean(
        command(
            "train", "data", "seeds", "-o", "r.jsonl", "--model", "scripted:script.json", "--corpus", "notes"
        )
    )


def test_nul_in_a_text_reaches_no_output(command: Command, notes: Path) -> None:
    done = command("revise", "-", "--corpus", "notes", stdin=b"The bridge\0 opened in 1935.\0 It is red.")
    assert done.status == 0
    assert b"\0" not in done.out
    assert done.out.startswith("The bridge\ufffd opened in 1937.\ufffd It is red.".encode())
