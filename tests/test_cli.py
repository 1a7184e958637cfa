"""The command line as its callers see it: standard output, standard error, exit status."""

import io
import json
import shlex
import subprocess
import sys
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any, ClassVar, NamedTuple

import pytest
from test_notebook import edit, revision

import rarr
from rarr.cli import run
from rarr.errors import InputError, RetrievalError, SetupError
from rarr.records import Notice, Passage, Revision
from rarr.retrievers.corpus import Corpus

FAILED = Notice(code="check_failed", message="no answer: start the server", node="check_agreement")
NOTHING = Notice(code="nothing_to_check", message="no checkable claim was found", node="generate_queries")


class Result(NamedTuple):
    status: int
    out: bytes
    err: str


Command = Callable[..., Result]


class FakeReviser:
    """Records how it was called, and answers with what `answer` makes of the text."""

    calls: ClassVar[list[tuple[str, str | None, Any]]]
    answer: ClassVar[Callable[[str], Revision]]

    def __init__(
        self,
        settings: Any,
        *,
        on_step: Callable[[str], None] | None = None,
        on_index: Callable[[int, int], None] | None = None,
    ) -> None:
        self.settings, self.on_step = settings, on_step

    def revise(self, text: str, context: str | None = None) -> Revision:
        self.calls.append((text, context, self.settings))
        if self.on_step:
            self.on_step("generate_queries")
        return type(self).answer(text)


@pytest.fixture
def fake(monkeypatch: pytest.MonkeyPatch) -> type[FakeReviser]:
    class Fake(FakeReviser):
        """One for each test, because tests change its answer."""

    Fake.calls = []
    Fake.answer = staticmethod(lambda text: revision(text, edit(0, 1, "X"), statuses=("supported",)))
    monkeypatch.setattr(rarr, "Reviser", Fake, raising=False)
    return Fake


@pytest.fixture(autouse=True)
def _elsewhere(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)


@pytest.fixture
def command(monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    """Runs the command line in this process."""

    def call(*argv: str, stdin: bytes = b"", terminal: bool = False) -> Result:
        stream = io.TextIOWrapper(io.BytesIO(stdin))
        monkeypatch.setattr(stream, "isatty", lambda: terminal)
        monkeypatch.setattr(sys, "stdin", stream)
        try:
            status = run(list(argv))
        except SystemExit as done:  # completion ends the process itself
            status = int(done.code or 0)
        out, err = capfdbinary.readouterr()
        return Result(status, out, err.decode())

    return call


def is_complaint(err: str) -> bool:
    return err.startswith("rarr: ") and err.count("\n") == 1 and err.endswith("\n")


def test_revises_its_argument(command: Command, fake: type[FakeReviser]) -> None:
    done = command("revise", "One.", "--context", "Why?")
    assert (done.status, done.err, fake.calls[0][:2]) == (0, "", ("One.", "Why?"))
    assert done.out.startswith(b"Xne.\n\nChanges\n")


@pytest.mark.parametrize("argv", [["-"], []], ids=["dash", "nothing"])
def test_revises_standard_input(command: Command, fake: type[FakeReviser], argv: list[str]) -> None:
    command("revise", *argv, stdin="Où?\r\n\r\nOne.".encode())
    assert fake.calls[0][0] == "Où?\r\n\r\nOne."


def test_revises_a_file_and_keeps_its_line_endings(command: Command, fake: type[FakeReviser]) -> None:
    Path("draft.md").write_bytes(b"One.\r\nTwo.\r\n")
    assert command("revise", "--file", "draft.md").out.startswith(b"Xne.\r\nTwo.\r\n\nChanges")


def test_text_with_a_dash_comes_after_two(command: Command, fake: type[FakeReviser]) -> None:
    command("revise", "--", "- One.")
    assert fake.calls[0][0] == "- One."


def test_settings_are_what_was_given_alone(command: Command, fake: type[FakeReviser]) -> None:
    command("revise", "One.", "--corpus", "notes", "--model", "a:b", "--preset", "fast")
    settings = fake.calls[0][2]
    assert settings.model_fields_set >= {"corpus", "model", "preset"}
    assert (settings.corpus, settings.model, settings.preset) == (Path("notes"), "a:b", "fast")
    assert "search" not in settings.model_fields_set


def test_json_is_the_revision_alone(command: Command, fake: type[FakeReviser]) -> None:
    done = command("revise", "Où est-il?", "--json")
    assert Revision.model_validate_json(done.out) == fake.answer("Où est-il?")
    assert "ù".encode() in done.out


def test_diff_is_a_diff_alone(command: Command, fake: type[FakeReviser]) -> None:
    out = command("revise", "-", "--diff", stdin=b"One.\r\n").out
    assert out == b"--- original\n+++ revised\n@@ -1 +1 @@\n-One.\r\n+Xne.\r\n"


def test_diff_leaves_warnings_to_standard_error(command: Command, fake: type[FakeReviser]) -> None:
    fake.answer = staticmethod(lambda text: revision(text, warnings=(NOTHING,) * 2))
    done = command("revise", "Hello.", "--diff")
    complaint = "rarr: warning: nothing_to_check: no checkable claim was found (2 times)\n"
    assert done == (0, b"", complaint)


@pytest.mark.parametrize(
    ("statuses", "warnings", "status"),
    [
        (["supported"], [], 0),
        (["no_evidence"], [FAILED], 0),
        (["unjudged"], [], 0),
        (["unjudged"], [NOTHING], 0),
        (["unjudged"], [FAILED], 3),
        (["retrieval_failed"], [], 3),
        (["retrieval_failed", "unjudged"], [FAILED], 3),
        (["retrieval_failed", "unjudged"], [], 0),
        (["retrieval_failed", "supported"], [FAILED], 0),
        ([], [NOTHING], 0),
    ],
)
@pytest.mark.parametrize("option", ["--json", "--diff", None])
def test_exit_status_of_a_run(
    command: Command,
    fake: type[FakeReviser],
    statuses: Sequence[Any],
    warnings: Sequence[Notice],
    status: int,
    option: str | None,
) -> None:
    text = "One.\nTwo.\n" if len(statuses) == 2 else "One.\n"
    fake.answer = staticmethod(
        lambda text: revision(text, statuses=tuple(statuses), warnings=tuple(warnings))
    )
    done = command("revise", text, *([option] if option else []))
    assert done.status == status
    assert is_complaint(done.err) if status else done.err == "" or option == "--diff"


def test_failed_run_still_prints_its_json(command: Command, fake: type[FakeReviser]) -> None:
    fake.answer = staticmethod(lambda text: revision(text, statuses=("unjudged",), warnings=(FAILED,)))
    done = command("revise", "One.", "--json")
    assert Revision.model_validate_json(done.out).warnings == (FAILED,)
    assert "no answer: start the server" in done.err


@pytest.mark.parametrize(
    ("argv", "stdin", "told"),
    [
        ([], b"", "rarr --help"),
        (["nope"], b"", "No such command 'nope'"),
        (["revise", "a", "b"], b"", "rarr revise --help"),
        (["revise", "--nope"], b"", "put -- before a text"),
        (["revise", "- One."], b"", "put -- before a text"),
        (["revise", "--model"], b"", "requires an argument"),
        (["revise", "One.", "--json", "--diff"], b"", "--json and --diff exclude each other"),
        (["revise", "One.", "--file", "draft.md"], b"", "TEXT and --file exclude each other"),
        (["revise", "-", "--file", "draft.md"], b"", "TEXT and --file exclude each other"),
        (["revise", ""], b"", "TEXT is empty"),
        (["revise", " \n"], b"", "TEXT is empty"),
        (["revise", "-"], b"\r\n", "standard input is empty"),
        (["revise", "-"], b"ab\xffc", "byte 0xff at offset 2"),
        (["revise", "a\udce9"], b"", "TEXT is not UTF-8 (byte 0xe9 at offset 1)"),
        (["revise", "a", "--context", "\udce9"], b"", "--context is not UTF-8 (byte 0xe9 at offset 0)"),
        (["revise", "--file", "latin.txt"], b"", "latin.txt is not UTF-8 (byte 0xe9 at offset 3)"),
        (["revise", "--file", "nowhere"], b"", "nowhere cannot be read (No such file"),
        (["revise", "--file", "."], b"", "Is a directory"),
        (["revise", "One.", "--preset", "slow"], b"", "preset"),
        (["index"], b"", "Missing argument 'PATH'"),
        (["index", "notes"], b"", "Missing option"),
        (["index", "nowhere", "-o", "out"], b"", "nowhere"),
        (["doctor", "--nope"], b"", "rarr doctor --help"),
    ],
)
def test_wrong_call_is_one_line_and_exit_status_2(
    command: Command, fake: type[FakeReviser], argv: list[str], stdin: bytes, told: str
) -> None:
    Path("latin.txt").write_bytes("Caf\xe9.".encode("latin-1"))
    done = command(*argv, stdin=stdin)
    assert (done.status, done.out, fake.calls) == (2, b"", [])
    assert is_complaint(done.err)
    assert told in done.err


def test_terminal_without_a_text_is_not_waited_for(command: Command) -> None:
    done = command("revise", terminal=True)
    assert (done.status, is_complaint(done.err), "--file" in done.err) == (2, True, True)


@pytest.mark.parametrize(
    ("error", "status"),
    [
        (InputError("wrong\ncall"), 2),
        (SetupError("no key"), 2),
        (KeyError("q1"), 1),
        (KeyboardInterrupt(), 130),
    ],
    ids=lambda case: type(case).__name__,
)
def test_every_error_is_one_line(
    command: Command, fake: type[FakeReviser], error: BaseException, status: int
) -> None:
    def fails(text: str) -> Revision:
        raise error

    fake.answer = staticmethod(fails)
    done = command("revise", "One.")
    assert (done.status, done.out, is_complaint(done.err)) == (status, b"", True)


@pytest.fixture
def notes() -> Path:
    folder = Path("notes")
    folder.mkdir()
    (folder / "bridge.md").write_text("The bridge opened in 1937.")
    return folder


def test_real_run_corrects_a_year(command: Command, notes: Path) -> None:
    done = command("revise", "The bridge opened in 1935.\r\n", "--corpus", "notes")
    assert (done.status, done.out.split(b"\n")[0], done.err) == (0, b"The bridge opened in 1937.\r", "")


def test_real_run_without_a_claim_succeeds(command: Command, notes: Path) -> None:
    done = command("revise", "Hello!", "--corpus", "notes")
    assert (done.status, b"nothing_to_check" in done.out, done.err) == (0, True, "")


def test_real_run_whose_searches_fail_checks_nothing(
    command: Command, notes: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def fails(self: Corpus, query: str, k: int) -> list[Passage]:
        raise RetrievalError("the disk is gone: put it back")

    monkeypatch.setattr(Corpus, "retrieve", fails)
    done = command("revise", "The bridge opened in 1935.", "--corpus", "notes", "--json")
    assert (done.status, is_complaint(done.err)) == (3, True)
    assert "the disk is gone: put it back" in done.err
    assert json.loads(done.out)["report"]["sentences"][0]["status"] == "retrieval_failed"


def test_real_run_without_a_source_is_refused(command: Command) -> None:
    done = command("revise", "The bridge opened in 1935.")
    assert (done.status, is_complaint(done.err), "--corpus" in done.err) == (2, True, True)


def test_index_counts_what_it_read(command: Command, notes: Path) -> None:
    assert command("index", "notes", "-o", "out") == (
        0,
        b"documents: 1\npassages: 1\nfiles: 1 read, 0 unchanged, 0 removed\n",
        "",
    )
    assert b"0 read, 1 unchanged" in command("index", "notes", "--out", "out").out


def test_index_names_each_skipped_file(command: Command, notes: Path) -> None:
    (notes / "broken.pdf").write_bytes(b"%PDF-1.4 nothing")
    done = command("index", "notes", "-o", "out")
    assert (done.status, is_complaint(done.err), "broken.pdf is skipped: " in done.err) == (0, True, True)


def test_doctor_succeeds_where_nothing_is_broken(command: Command) -> None:
    done = command("doctor")
    assert (done.status, done.out[:12], done.err) == (0, b"ok       pyt", "")


def test_doctor_fails_where_something_is_broken(command: Command) -> None:
    done = command("doctor", "--corpus", "nowhere", "--json")
    assert done.status == 2
    assert json.loads(done.out)[-1]["state"] == "broken"


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
        for argv in (["--help"], ["revise", "--help"], ["index", "--help"], ["doctor", "--help"])
    ]
    return [line.strip() for page in pages for line in page.splitlines() if line.startswith("    rarr ")]


def test_every_help_text_has_examples_that_work(
    command: Command, fake: type[FakeReviser], notes: Path
) -> None:
    Path("draft.md").write_text("The bridge opened in 1935.")
    assert command("index", "notes", "-o", "notes.index").status == 0
    lines = examples()
    assert len(lines) >= 10
    for line in lines:
        argv, _, source = line.partition(" < ")
        stdin = Path(source).read_bytes() if source else b""
        assert (line, command(*shlex.split(argv)[1:], stdin=stdin).status) == (line, 0)
