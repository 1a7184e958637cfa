"""The other commands, completion, and help texts whose examples work."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from types import SimpleNamespace
from unittest.mock import Mock

import pytest
from evals.rating.makers import PAIR, data, export
from retrievers.extract.test_files import pdf

from cli.helpers import Command, FakeReviser, is_complaint
from rarr.cli.options import given
from rarr.evals.verified_claims import VerificationReport, VerifiedRow
from rarr.records.document_checks import DocumentChecks
from rarr.training.noised import NoisingReport


@pytest.mark.slow
def test_index_counts_what_it_read(command: Command, notes: Path) -> None:
    assert command("index", "notes", "-o", "out") == (
        0,
        b"documents: 1\npassages: 1\nfiles: 1 read, 0 unchanged, 0 removed, 0 skipped\n",
        "",
    )
    assert b"0 read, 1 unchanged" in command("index", "notes", "--out", "out").out


@pytest.mark.slow
def test_index_names_each_skipped_file(command: Command, notes: Path) -> None:
    (notes / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    (notes / "image.bin").touch()
    done = command("index", "notes", "-o", "out")
    assert done.out.decode().splitlines()[2:] == [
        "files: 1 read, 0 unchanged, 0 removed, 1 skipped",
        "ignored: 1 file of kinds that rarr does not read, such as image.bin",
    ]
    assert (done.status, is_complaint(done.err), "broken.pdf: not searched: " in done.err) == (0, True, True)


@pytest.mark.slow
def test_doctor_succeeds_where_nothing_is_broken(command: Command) -> None:
    done = command("doctor", "--offline")
    assert (done.status, done.out[:12], done.err) == (0, b"ok       pyt", "")


def test_doctor_fails_where_something_is_broken(command: Command) -> None:
    done = command("doctor", "--corpus", "nowhere", "--json")
    assert done.status == 2
    assert [finding["name"] for finding in json.loads(done.out) if finding["state"] == "broken"] == ["corpus"]


def test_version(command: Command) -> None:
    assert command("--version").out.startswith(b"rarr ")


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_completion_is_shown(command: Command, monkeypatch: pytest.MonkeyPatch, shell: str) -> None:
    monkeypatch.setenv("_TYPER_COMPLETE_TEST_DISABLE_SHELL_DETECTION", "1")
    done = command("--show-completion", shell)
    assert (done.status, b"_RARR_COMPLETE" in done.out) == (0, True)


def test_completion_knows_the_presets(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("_RARR_COMPLETE", "complete_bash")
    monkeypatch.setenv("COMP_WORDS", "rarr revise --preset ")
    monkeypatch.setenv("COMP_CWORD", "3")
    assert command().out.split() == [b"default", b"paper", b"fast"]


def examples() -> list[str]:
    """The example lines of every help text."""
    program = "import sys; from rarr.cli import run; sys.exit(run())"
    pages = [
        subprocess.run(
            [sys.executable, "-c", program, *argv], capture_output=True, text=True, check=True
        ).stdout
        for argv in (
            ["--help"],
            ["revise", "--help"],
            ["cite", "--help"],
            ["verify", "--help"],
            ["batch", "--help"],
            ["index", "--help"],
            ["eval", "--help"],
            ["label", "--help"],
            ["doctor", "--help"],
            ["train", "data", "--help"],
            ["train", "editor", "--help"],
        )
    ]
    return [line.strip() for page in pages for line in page.splitlines() if line.startswith("    rarr ")]


async def passed_documents(*documents: object, **options: object) -> DocumentChecks:
    return DocumentChecks(fail_on=(), failing=0, unjudged=0, documents=())


async def served_until_the_end(*options: object) -> None:
    pass


OF_DATA = (
    *("bench names", "bench conflicts", "bench kalma", "bench wikigen"),
    *("train conflicts", "score answers.jsonl"),
)
"""Commands for data sets of their own. Of these examples, and of those with a model, options are checked."""


@pytest.mark.slow
def test_every_help_text_has_examples_that_work(
    command: Command, fake: type[FakeReviser], notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_OFFLINE", "true")  # for `rarr doctor`; the others have a fake
    noised = NoisingReport(rows=1, new=1, dropped={})
    monkeypatch.setattr("rarr.training.noised.make_data", lambda *files, **more: noised)
    trained = SimpleNamespace(
        rows=2, held_out=1, examples={}, steps=1, before={}, after={}, sure=None, seconds=1.0
    )
    editor = SimpleNamespace(fine_tune=lambda *rows, **more: trained, Backend=Mock())
    monkeypatch.setitem(sys.modules, "rarr.training.fine_tuning", editor)  # it needs torch
    verified = VerificationReport(data="claims.jsonl", rows=(VerifiedRow(id="1", label="attributable"),))
    monkeypatch.setattr("rarr.evals.verified_claims.verify_claims", lambda *files, **more: verified)
    monkeypatch.setattr("rarr.agent.documents.document_check.check_documents", passed_documents)
    monkeypatch.setattr("rarr.cli.mcp._made", lambda chosen: (None, None))
    monkeypatch.setattr("rarr.cli.mcp._serve", served_until_the_end)
    monkeypatch.setattr("rarr.batches.batch_runner.worker_count", lambda settings, workers: 0)
    Path("answers.jsonl").write_text(
        '{"text": "The bridge opened in 1937.", "passages": ["The bridge opened in 1937."]}\n'
    )
    Path("people.csv").write_text("subject,relation,object\nMarie Curie,place of birth,Warsaw\n")
    Path("people.ttl").write_text('<https://a.org/c> <https://a.org/born> "Warsaw" .\n')
    Path("catalogue.ttl").write_bytes(Path("people.ttl").read_bytes())
    Path("answer.md").write_text("Marie Curie was born in Warsaw.\n")
    Path("headings.txt").write_text("Height\n")
    for name in ("Hoover Dam", "Golden Gate Bridge"):
        page = f"# {name}\n\n## Height\n\nThe {name} is 221 metres high. The {name} was opened in 1936.\n"
        Path("notes", f"{name}.md").write_text(page)
    Path("answers.csv").write_text("answer,question\nIt opened in 1937.,When did the bridge open?\n")
    for folder in ("docs", "specs"):
        Path(folder).mkdir()
        Path(folder, "dam.md").write_text("Hoover Dam is 221 metres high.")
    Path("README.md").write_text("Hoover Dam is 221 metres high.")
    Path("draft.md").write_text("The bridge opened in 1935.")
    Path("dam.md").write_text("Hoover Dam is 221 metres high.")
    Path("alaska.pdf").write_bytes(pdf("The US bought Alaska in 1867."))
    rows = data(Path("data.jsonl"), {"text": "The Hoover Dam was opened in 1936.", **PAIR})
    for rater in ("Ada", "Ben"):
        export(rows, rater, {"intent": "similar"})
    assert command("index", "notes", "-o", "notes.index").status == 0
    lines = examples()
    assert len(lines) >= 25
    for line in lines:
        argv, _, source = line.partition(" > ")[0].partition(" < ")
        named = [each for each in OF_DATA if line.startswith(f"rarr {each}")]
        named += [
            each
            for each in ("answer", "write", "doctor")
            if line.startswith(f"rarr {each} ") and "--model" in line
        ]
        if own := " ".join(word for word in "".join(named[:1]).split() if "." not in word):
            shown = command(*own.split(), "--help").out.decode()
            assert [word for word in argv.split() if word.startswith("--") and word not in shown] == [], line
            continue
        stdin = Path(source).read_bytes() if source else b""
        assert (line, command(*shlex.split(argv)[1:], stdin=stdin).status) == (line, 0)


def test_omitted_option_sets_no_setting_and_zero_does() -> None:
    assert given(max_calls=0, offline=False, corpus=None, include_domains=[], refresh=True) == {
        "max_calls": 0,
        "refresh": True,
    }


@pytest.mark.slow
def test_python_m_runs_the_command_line() -> None:
    done = subprocess.run(
        [sys.executable, "-m", "rarr", "--version"], capture_output=True, text=True, check=True
    )
    assert done.stdout.startswith("rarr ")
