"""Commands that are interrupted: one line, exit status 130, at once, and what was done is kept."""

import signal
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from benchmarks.interrupts import (
    BEGIN,
    COMMAND,
    CORPUS,
    DATA,
    HANDLED,
    Act,
    Outcome,
    Running,
    calls,
    ended,
    moments,
    serving,
    signalled,
    typed,
)

pytestmark = pytest.mark.skipif(sys.platform == "win32", reason="its terminals and signals are others")

SOON_S = 10.0
"""Ten times what it may take, for a machine that does much else."""


@pytest.fixture(scope="module")
def commands(tmp_path_factory: pytest.TempPathFactory) -> dict[str, tuple[str, list[str]]]:
    """Without a model that answers: an interrupt comes before it is asked."""
    traces = tmp_path_factory.mktemp("traces")
    (traces / "t.json").write_text("{}")
    return calls("http://127.0.0.1:9/v1", traces)


def is_clean(outcome: Outcome) -> bool:
    return outcome.status == 130 and outcome.clean and outcome.seconds < SOON_S


PLACES = [
    ("index", HANDLED),
    ("index", "denver.md"),
]
MORE_PLACES = [
    ("eval", "rarr.evals.report_building"),
    ("revise", "rarr.backends.embedded.near_quotes"),
    ("index", "typer"),
    ("index", "tantivy"),
    ("revise", "pydantic_core"),
    ("revise", "langgraph.graph.state"),
    ("eval", "rarr.backends.embedded.near_quotes"),
    ("replay", "rarr.agent.replay.replay"),
]


@pytest.mark.slow
@pytest.mark.parametrize(
    ("command", "at"), [*PLACES, *(pytest.param(*place, marks=pytest.mark.slow) for place in MORE_PLACES)]
)
def test_interrupted_command_says_so_in_one_line(
    command: str, at: str, commands: dict[str, tuple[str, list[str]]], tmp_path: Path
) -> None:
    program, argv = commands[command]
    assert is_clean(outcome := ended(signalled(), program, argv, tmp_path, at=at)), outcome


def test_terminated_command_says_so_in_one_line(tmp_path: Path) -> None:
    outcome = ended(signalled(number=signal.SIGTERM), COMMAND, ["index", str(CORPUS), "-o", "i"], tmp_path)
    assert outcome[:2] == (143, "rarr: terminated\n")


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


def instead(*lines: str, first: str = "") -> str:
    """A program whose command does these lines."""
    return INSTEAD.format("\n    ".join(lines), first)


def happens(program: str, act: Act, tmp_path: Path) -> Outcome:
    return ended(act, program, [], tmp_path, at="nothing of this name")


def test_interrupt_does_not_wait_for_threads(tmp_path: Path) -> None:
    thread = f"threading.Thread(target=lambda: {FOR_EVER}).start()"
    assert is_clean(happens(instead(thread, TELL, FOR_EVER), signalled(), tmp_path))


def test_interrupt_at_the_end_does_not_wait_for_threads(tmp_path: Path) -> None:
    thread = f"threading.Thread(target=lambda: ({TELL}, {FOR_EVER})).start()"
    assert is_clean(happens(instead(thread, "return 0"), signalled(), tmp_path))


def test_interrupt_inside_a_destructor_ends_the_command(tmp_path: Path) -> None:
    swallows = "class Swallows:\n        def __del__(self): " + f"{TELL}; time.sleep(60)"
    assert is_clean(happens(instead(swallows, "Swallows()", FOR_EVER), signalled(), tmp_path))


def test_interrupt_does_not_wait_for_a_long_library_call(tmp_path: Path) -> None:
    # A call that does not look for signals, as those of libraries do not, and leaves Python.
    long = "import ctypes; slept = ctypes.CDLL(None).sleep; slept.restype = None"
    again = "[slept(60) for _ in range(9)]"
    assert is_clean(happens(instead(long, TELL, again), signalled(), tmp_path))


WRITING = "writing = before_end(lambda: ({}, time.sleep(60))); writing.__enter__()"


def twice(then: signal.Signals) -> Act:
    def act(running: Running) -> None:
        running.child.send_signal(signal.SIGINT)
        assert running.child.stdout
        running.child.stdout.read(1)  # it writes what it has
        running.child.send_signal(then)

    return act


@pytest.mark.parametrize(
    ("then", "end"),
    [(signal.SIGINT, (130, "rarr: interrupted\n")), (signal.SIGTERM, (143, "rarr: terminated\n"))],
)
def test_second_interrupt_ends_at_once(then: signal.Signals, end: tuple[int, str], tmp_path: Path) -> None:
    never = "rarr.cli.interrupts.ENDING_S = 1e6"
    program = instead(WRITING.format(TELL), TELL, FOR_EVER, first=never)
    assert happens(program, twice(then), tmp_path)[:2] == end


def test_interrupt_stops_waiting_for_a_writer_after_the_limit(tmp_path: Path) -> None:
    program = instead(WRITING.format("0"), TELL, FOR_EVER, first="rarr.cli.interrupts.ENDING_S = 0.01")
    assert is_clean(happens(program, signalled(), tmp_path))


def test_failing_writer_does_not_stop_the_other_writers(tmp_path: Path) -> None:
    writes = "a = before_end(lambda: open('written', 'w').close()); a.__enter__()"
    fails = "b = before_end(lambda: 1 / 0); b.__enter__()"
    outcome = happens(instead(writes, fails, TELL, FOR_EVER), signalled(), tmp_path)
    assert outcome.status == 130
    assert outcome.seconds < SOON_S
    error, interrupted = outcome.err.splitlines()
    assert "division by zero" in error
    assert interrupted == "rarr: interrupted"
    assert (tmp_path / "written").exists()


def test_interrupt_that_the_parent_process_ignores_is_ignored(tmp_path: Path) -> None:
    ignored = "import signal; signal.signal(signal.SIGINT, signal.SIG_IGN)"
    program = instead("os.kill(os.getpid(), signal.SIGINT)", TELL, "return 5", first=ignored)
    assert happens(program, lambda running: None, tmp_path)[:2] == (5, "")


def test_signal_to_a_forked_process_ends_only_that_process(tmp_path: Path) -> None:
    program = instead(
        "fork = os.fork()",
        f"if not fork: {FOR_EVER}",
        "os.kill(fork, 15)",
        "print(os.waitstatus_to_exitcode(os.waitpid(fork, 0)[1]), file=sys.stderr)",
        "time.sleep(0.1)",
        f"{TELL}",
        "return 5",
    )
    assert happens(program, lambda running: None, tmp_path)[:2] == (5, "-15\n")


def test_call_in_process_keeps_the_callers_interrupt_handler(monkeypatch: pytest.MonkeyPatch) -> None:
    from rarr.cli import entry_point, run

    before = signal.getsignal(signal.SIGINT)

    def call(argv: list[str]) -> int:
        assert signal.getsignal(signal.SIGINT) is before
        return 0

    monkeypatch.setattr(entry_point, "call", call)
    assert run(["--version"]) == 0


def shown(words: bytes) -> Act:
    """Types Ctrl-C once this came on the terminal."""

    def act(running: Running) -> None:
        while words not in b"".join(running.err) and running.child.poll() is None:
            time.sleep(0.01)
        typed()(running)

    return act


@pytest.mark.slow
def test_interrupted_terminal_gets_its_cursor_back(tmp_path: Path) -> None:
    waiting = (
        "from rarr.views.terminal.progress_line import Waiting; w = Waiting(watched=True); w.__enter__()"
    )
    hidden = shown(b"\x1b[?25l")
    outcome = ended(hidden, instead(waiting, TELL, FOR_EVER), [], tmp_path, at="nothing", terminal=True)
    assert outcome.status == 130
    after = outcome.err.rpartition("\x1b[?25l")[2]
    assert "\x1b[?25h" in after
    assert after.endswith("rarr: interrupted\r\n")
    assert "Traceback" not in outcome.err


@pytest.mark.slow
@pytest.mark.loopback
@pytest.mark.parametrize("command", ["revise", "eval", "index", "replay", "loop"])
def test_interrupts_at_50_moments_are_clean(command: str, tmp_path: Path) -> None:
    with serving(tmp_path) as (url, traces):
        program, argv = calls(url, traces)[command]

        def acted(act: Act, name: str) -> Outcome:
            home = tmp_path / name
            home.mkdir()
            return ended(act, program, argv, home)

        longest_s = acted(lambda running: None, "undisturbed").seconds
        with ThreadPoolExecutor(2) as several:
            outcomes = list(
                several.map(
                    lambda after_s: acted(signalled(after_s), str(after_s)), moments(50, longest_s, seed=7)
                )
            )
    assert [outcome for outcome in outcomes if not outcome.clean or outcome.seconds >= SOON_S] == []
    assert sum(outcome.status == 130 for outcome in outcomes) > 25


@pytest.mark.slow
@pytest.mark.parametrize("moment", range(10))
def test_interrupt_typed_on_a_terminal_is_clean(moment: int, tmp_path: Path) -> None:
    after_s = moments(10, 5.0, seed=3)[moment]
    argv = ["eval", str(DATA), "-o", "scores", "--corpus", str(CORPUS)]
    outcome = ended(typed(after_s), COMMAND, argv, tmp_path, terminal=True)
    assert outcome.status == 130, outcome
    assert outcome.err.endswith("rarr: interrupted\r\n")
    assert outcome.err.count("\x1b[?25l") <= outcome.err.count("\x1b[?25h")
    assert outcome.err.count("rarr:") == 1
    assert outcome.seconds < SOON_S
