"""Commands that are interrupted: one line, exit status 130, at once, and what was done is kept."""

import json
import os
import select
import signal
import sys
import time
from collections.abc import Callable, Sequence
from pathlib import Path
from subprocess import DEVNULL, PIPE, Popen
from typing import Any

import pytest

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its terminals and signals are others")

ROOT = Path(__file__).resolve().parents[2]
TEXT, CORPUS = str(ROOT / "examples/texts/sagrada-familia.md"), str(ROOT / "examples/corpus")
HANG_S = 30.0
"""A process that runs longer than this after the signal is taken to hang."""
HANDLED = "rarr.cli.entry_point"
"""The module that is imported once the signal handler is installed."""
INTERRUPTED = (130, "rarr: interrupted\n")
ENDS = [(signal.SIGINT, INTERRUPTED), (signal.SIGTERM, (143, "rarr: terminated\n"))]
# Tells on standard output when the module or file of the first argument is opened.
BEGIN = """
import os, sys
place = sys.argv.pop(1)
def tell(event, args):
    global place
    if event in ("import", "open") and place and str(args[0]).endswith(place):
        place = ""
        os.write(1, b".")
sys.addaudithook(tell)
"""
COMMAND = f"{BEGIN}\nfrom rarr.cli import run\nsys.exit(run())"
Child = Popen[bytes]


def send_interrupt(child: Child) -> None:
    child.send_signal(signal.SIGINT)


def outcome_of(
    act: Callable[[Child], object], program: str, argv: Sequence[str], home: Path, at: str = HANDLED
) -> tuple[int, str]:
    """Starts a process, and calls `act` when it opens `at`. Returns its exit status and standard error."""
    environment = os.environ | {"RARR_HOME": str(home), "PYTHONPATH": str(ROOT)}
    pipes: dict[str, Any] = {"stdin": DEVNULL, "stdout": PIPE, "stderr": PIPE}
    command = [sys.executable, "-c", program, at, *argv]
    child = Child(command, cwd=home, env=environment, start_new_session=True, **pipes)
    try:
        assert child.stdout and select.select([child.stdout], [], [], 3 * HANG_S)[0]
        child.stdout.read(1)
        act(child)
        _, err = child.communicate(timeout=HANG_S)
        return child.returncode, err.decode()
    finally:
        if child.poll() is None:
            os.killpg(child.pid, signal.SIGKILL)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("argv", "at"),
    [
        *((["index", CORPUS, "-o", "notes.index"], at) for at in (HANDLED, "click", "denver.md")),
        *(
            (["revise", "--file", TEXT, "--corpus", CORPUS], at)
            for at in ("langgraph.graph.state", "rarr.backends.embedded.near_quotes")
        ),
        (["trace", "replay", "t.json", "--node", "check_agreement", "--model", "vllm:other"], "t.json"),
    ],
    ids=lambda value: value[0] if isinstance(value, list) else value,
)
def test_interrupted_command_says_so_in_one_line(argv: list[str], at: str, tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "t.json")  # reading it waits until the interrupt
    assert outcome_of(send_interrupt, COMMAND, argv, tmp_path, at=at) == INTERRUPTED


# What a command does is a function here, which tells when it is there.
INSTEAD = f"""{BEGIN}
import threading, time
import rarr.cli.entry_point
def call(argv):
    {{}}
rarr.cli.entry_point.run_command = call
sys.exit(rarr.cli.run())
"""
TELL = 'os.write(1, b".")'
FOR_EVER = "threading.Event().wait()"


def test_interrupt_does_not_wait_for_threads(tmp_path: Path) -> None:
    lines = [f"threading.Thread(target=lambda: {FOR_EVER}).start()", TELL, FOR_EVER]
    program = INSTEAD.format("\n    ".join(lines))
    assert outcome_of(send_interrupt, program, [], tmp_path, at="nothing of this name") == INTERRUPTED


@pytest.mark.slow
def test_interrupt_at_a_terminal_does_not_reach_workers_that_start(tmp_path: Path) -> None:
    def interrupt_group(child: Child) -> None:
        time.sleep(0.5)  # the workers load their modules
        os.killpg(child.pid, signal.SIGINT)

    (tmp_path / "in.jsonl").write_text('{"text": "The Hoover Dam is 212 metres high."}\n')
    argv = ["batch", "in.jsonl", "-o", "out.jsonl", "--corpus", CORPUS, "--workers", "2"]
    outcome = outcome_of(interrupt_group, COMMAND, argv, tmp_path, at="multiprocessing.popen_forkserver")
    assert outcome == (130, f"rarr: 0 of 1 row in out.jsonl: run again to continue\n{INTERRUPTED[1]}")


@pytest.mark.slow
@pytest.mark.parametrize(("number", "end"), ENDS)
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ended_batch_has_written_its_rows_and_goes_on(
    workers: str, number: signal.Signals, end: tuple[int, str], tmp_path: Path
) -> None:
    out, results = tmp_path / "out.jsonl", tmp_path / "out.jsonl.batch/results.jsonl"

    def after_some_rows(child: Child) -> None:
        while child.poll() is None and (not results.exists() or results.read_bytes().count(b"\n") < 3):
            time.sleep(0.05)
        child.send_signal(number)

    texts = [f"The Hoover Dam is {height} metres high." for height in range(212, 412)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    argv = ["batch", "in.jsonl", "-o", out.name, "--corpus", CORPUS, "--workers", workers]
    outcome = outcome_of(after_some_rows, COMMAND, argv, tmp_path)
    before = out.read_text().splitlines()
    rest = f"rarr: {len(before)} of {len(texts)} rows in out.jsonl: run again to continue\n"
    assert outcome == (end[0], rest + end[1])
    assert 0 < len(before) < len(texts)
    assert outcome_of(lambda child: None, COMMAND, argv, tmp_path)[0] == 0
    after = out.read_text().splitlines()
    assert len(after) == len(texts) and set(before) <= set(after)
