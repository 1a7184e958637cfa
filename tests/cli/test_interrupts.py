"""Commands that are interrupted: one line, exit status 130, at once, and what was done is kept."""

import json
import os
import signal
import sys
import time
from pathlib import Path

import pytest
from interrupted_runs import BEGIN, COMMAND, CORPUS, HANDLED, Act, Outcome, Running, calls, ended, signalled

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its terminals and signals are others")

SOON_S = 10.0
"""Ten times what it may take, for a machine that does much else."""
ENDS = [(signal.SIGINT, (130, "rarr: interrupted\n")), (signal.SIGTERM, (143, "rarr: terminated\n"))]


def is_clean(outcome: Outcome) -> bool:
    return outcome.status == 130 and outcome.clean and outcome.seconds < SOON_S


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "at"),
    [
        *(
            ("index", HANDLED),
            ("index", "click"),
            ("index", "denver.md"),
            ("revise", "langgraph.graph.state"),
        ),
        *(("revise", "rarr.backends.embedded.near_quotes"), ("replay", "t.json")),
    ],
)
def test_interrupted_command_says_so_in_one_line(command: str, at: str, tmp_path: Path) -> None:
    traces = tmp_path / "traces"
    traces.mkdir()
    os.mkfifo(traces / "t.json")  # reading it waits until the interrupt
    program, argv = calls("http://127.0.0.1:9/v1", traces)[command]  # it is interrupted before it asks
    assert is_clean(outcome := ended(signalled(), program, argv, tmp_path, at=at)), outcome


# What a command does is a function here, which tells when it is there.
INSTEAD = f"""{BEGIN}
import threading, time
import rarr.cli.entry_point, rarr.cli.interrupts
from rarr.tools.concurrency import before_end
def call(argv):
    {{}}
rarr.cli.entry_point.call = call
{{}}
sys.exit(rarr.cli.run())
"""
TELL = 'os.write(1, b".")'
FOR_EVER = "threading.Event().wait()"


def happens(tmp_path: Path, *lines: str, act: Act | None = None, first: str = "") -> Outcome:
    """Runs a command that does these lines."""
    program = INSTEAD.format("\n    ".join(lines), first)
    return ended(act or signalled(), program, [], tmp_path, at="nothing of this name")


@pytest.mark.parametrize(
    "lines",
    [
        [f"threading.Thread(target=lambda: {FOR_EVER}).start()", TELL, FOR_EVER],
        [f"threading.Thread(target=lambda: ({TELL}, {FOR_EVER})).start()", "return 0"],
        [f"class Swallows:\n        def __del__(self): {TELL}; time.sleep(60)", "Swallows()", FOR_EVER],
        # A call that does not look for signals, as those of libraries do not, and leaves Python.
        [
            "import ctypes; slept = ctypes.CDLL(None).sleep; slept.restype = None",
            TELL,
            "[slept(60) for _ in [1, 2]]",
        ],
    ],
    ids=["thread", "thread at the end", "destructor", "library"],
)
def test_interrupt_waits_for_nothing(lines: list[str], tmp_path: Path) -> None:
    assert is_clean(happens(tmp_path, *lines))


def has_rows(results: Path) -> bool:
    return results.exists() and results.read_bytes().count(b"\n") > 2


@pytest.mark.slow
@pytest.mark.parametrize(("number", "end"), ENDS)
@pytest.mark.parametrize("workers", ["0", "2"])
def test_ended_batch_has_written_its_rows_and_goes_on(
    workers: str, number: signal.Signals, end: tuple[int, str], tmp_path: Path
) -> None:
    def after_a_row(running: Running) -> None:
        results = tmp_path / "out.jsonl.batch/results.jsonl"
        while not has_rows(results) and running.child.poll() is None:
            time.sleep(0.05)
        signalled(number=number)(running)

    texts = [f"The Hoover Dam is {height} metres high." for height in range(212, 412)]
    (tmp_path / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    options = ["--model", "embedded", "--corpus", str(CORPUS), "--workers", workers]
    argv = ["batch", "in.jsonl", "-o", "out.jsonl", *options]
    outcome = ended(after_a_row, COMMAND, argv, tmp_path)
    before = (tmp_path / "out.jsonl").read_text().splitlines()
    rest = f"rarr: {len(before)} of {len(texts)} rows in out.jsonl: run again to continue\n"
    assert outcome[:2] == (end[0], rest + end[1])
    assert 0 < len(before) < len(texts)
    assert ended(lambda running: None, COMMAND, argv, tmp_path).status == 0
    after = (tmp_path / "out.jsonl").read_text().splitlines()
    assert len(after) == len(texts) and set(before) <= set(after)
