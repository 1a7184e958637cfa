"""The command line in a process of its own: locales, pipes, full disks, and what is loaded."""

import json
import shlex
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest
from cli.helpers import is_complaint
from families import few

FAKE_RUN = """
import sys, rarr
from views import test_notebook
from cli.helpers import FakeReviser
from rarr.cli import run
rarr.Reviser = FakeReviser
FakeReviser.calls = []
FakeReviser.answer = staticmethod(test_notebook.revision)
sys.exit(run(sys.argv[1:]))
"""


def process(*argv: str, program: str = FAKE_RUN, **options: Any) -> subprocess.Popen[bytes]:
    """Runs the command line in a process of its own."""
    here = Path(__file__).parent
    environment = {"PYTHONPATH": f"{here.parent}:{here}", "LC_ALL": "C", "PYTHONUTF8": "0"}
    pipes: dict[str, Any] = {"stdin": subprocess.PIPE, "stdout": subprocess.PIPE, "stderr": subprocess.PIPE}
    return subprocess.Popen([sys.executable, "-c", program, *argv], env=environment, **(pipes | options))


@pytest.mark.slow
def test_json_is_utf8_whatever_the_locale() -> None:
    out, err = process("revise", "-", "--json").communicate("Où?".encode())
    assert (json.loads(out.decode())["text"], err) == ("Où?", b"")


@pytest.mark.slow
def test_invalid_utf8_on_standard_input_is_a_one_line_error() -> None:
    with process("revise", "-") as child:
        out, err = child.communicate(b"\xff\xfeO\x00")
    assert (child.returncode, out, is_complaint(err.decode())) == (2, b"", True)


@pytest.mark.slow
@pytest.mark.parametrize(
    "argv", few([["revise", "--help"], ["revise", "-"], ["doctor", "--offline"]], every=3)
)
def test_closed_pipe_shows_no_traceback(tmp_path: Path, argv: list[str]) -> None:
    draft = tmp_path / "draft.md"
    draft.write_text("One.\n" * 100_000)  # more than a pipe holds
    with draft.open("rb") as stdin, process(*argv, stdin=stdin) as child:
        assert child.stdout
        assert child.stderr
        child.stdout.close()
        assert child.stderr.read() == b""


@pytest.mark.slow
@pytest.mark.skipif(not Path("/dev/full").exists(), reason="this system has no full device")
def test_full_disk_is_a_one_line_error() -> None:
    with Path("/dev/full").open("wb") as full, process("revise", "One.", stdout=full) as child:
        _, err = child.communicate()
    assert (child.returncode, is_complaint(err.decode()), b"No space" in err) == (2, True, True)


@pytest.mark.parametrize("argv", few(["revise --help", "--help", "--version"], every=3))
def test_help_loads_no_slow_packages(argv: str) -> None:
    heavy = "{'langgraph', 'langchain_core', 'trafilatura', 'tantivy'}"
    program = (
        f"import sys; from rarr.cli import run; run({argv.split()!r}); print({heavy} & set(sys.modules))"
    )
    out, _ = process(program=program).communicate()
    assert out.decode().splitlines()[-1] == "set()"


@pytest.mark.slow
@pytest.mark.parametrize("argv", [["revise", "-"], ["revise"]], ids=["dash", "nothing"])
def test_closed_standard_input_is_a_one_line_error(argv: list[str]) -> None:
    closed = f"exec {shlex.join([sys.executable, '-c', FAKE_RUN, *argv])} <&-"
    with process(program=f"import os; os.execv('/bin/sh', ['sh', '-c', {closed!r}])") as child:
        out, err = child.communicate()
    assert (child.returncode, out) == (2, b"")
    assert err == b"rarr: standard input is closed: give the text in quotes, or --file F\n"


@pytest.mark.slow
def test_closed_standard_output_is_a_one_line_error() -> None:
    closed = f"exec {shlex.join([sys.executable, '-c', FAKE_RUN, 'revise', 'One.'])} >&-"
    with process(program=f"import os; os.execv('/bin/sh', ['sh', '-c', {closed!r}])") as child:
        _, err = child.communicate()
    assert (child.returncode, is_complaint(err.decode())) == (2, True)


@pytest.mark.slow
def test_closed_standard_error_does_not_lose_the_result() -> None:
    closed = f"exec {shlex.join([sys.executable, '-c', FAKE_RUN, 'revise', 'One.', '--json'])} 2>&-"
    with process(program=f"import os; os.execv('/bin/sh', ['sh', '-c', {closed!r}])") as child:
        out, _ = child.communicate()
    assert (child.returncode, json.loads(out)["text"]) == (0, "One.")
