"""What is printed for help and versions, in a process of its own: locales, pipes, and what is loaded."""

import shlex
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from rarr.cli.entry_point import app

HEAVY = {"langgraph", "langchain_core", "trafilatura", "tantivy", "pydantic", "rich", "httpx2"}


def commands(command: Any = app, name: str = "rarr") -> Iterator[tuple[str, Any]]:
    yield name, command
    for child, inner in getattr(command, "commands", {}).items():
        yield from commands(inner, f"{name} {child}")


@pytest.mark.parametrize(("name", "called"), [pytest.param(*each, id=each[0]) for each in commands()])
def test_examples_of_the_help_name_options_of_their_command(name: str, called: Any) -> None:
    known = {option for each in called.params for option in (*each.opts, *each.secondary_opts)}
    for line in (called.help or "").splitlines():
        if name != "rarr" and line.strip().startswith(f"{name} "):
            options = {
                word for word in shlex.split(line, comments=True) if word.startswith("-") and word != "-"
            }
            assert options <= known, line


def started(program: str, *argv: str, **options: Any) -> "subprocess.Popen[bytes]":
    here = Path(__file__).parents[1]
    environment = {
        "PYTHONPATH": f"{here.parent}:{here}",
        "LC_ALL": "C",
        "PYTHONUTF8": "0",
        "RARR_TRACE": "false",
    }
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", program, *argv], env=environment, **(pipes | options))


@pytest.mark.parametrize("argv", ["revise --help", "--help", "--version"])
def test_help_loads_no_slow_packages(argv: str) -> None:
    program = (
        f"import sys; from rarr.cli import run; run({argv.split()!r}); print({HEAVY} & set(sys.modules))"
    )
    out, _ = started(program).communicate()
    shown = out.decode().splitlines()[-1]
    assert shown == "set()" or argv == "--version"


RUN = "import sys; from rarr.cli import run; sys.exit(run(sys.argv[1:]))"
REVISE = ("revise", "-", "--corpus", "bridge.md")


@pytest.fixture
def _bridge() -> None:
    Path("bridge.md").write_text("The bridge opened in 1937.")


@pytest.mark.slow
@pytest.mark.usefixtures("_bridge")
@pytest.mark.parametrize(
    ("redirection", "status", "words"),
    [
        ("<&-", 2, b"standard input is closed: give the text in quotes"),
        (">&-", 2, b"standard output is closed"),
        (">/dev/full", 2, b"No space"),
        ("2>&-", 0, b""),
    ],
)
def test_closed_or_full_streams_are_one_line(redirection: str, status: int, words: bytes) -> None:
    call = f"printf One. | {shlex.join([sys.executable, '-m', 'rarr', *REVISE])} {redirection}"
    if redirection == "<&-":
        call = f"{shlex.join([sys.executable, '-m', 'rarr', *REVISE])} {redirection}"
    done = subprocess.run(["bash", "-c", call], capture_output=True, check=False)
    assert (done.returncode, words in done.stderr, b"Traceback" in done.stderr) == (status, True, False)
