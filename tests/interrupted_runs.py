"""Commands as processes that tests interrupt at chosen moments.

A clean end has one line on standard error and exit status 130, or no line and exit status 0 if the process
was done before. Moments count from the time when `rarr` handles signals.
"""

import os
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).resolve().parent.parent
TEXTS, CORPUS = (ROOT / "examples" / name for name in ("texts", "corpus"))
HANG_S = 20.0
"""A process that runs longer than this after the act is taken to hang."""

HANDLED = "rarr.cli.entry_point"
"""The module that is imported once the first signal handlers are installed."""

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
if os.isatty(0):
    import fcntl, termios
    fcntl.ioctl(0, termios.TIOCSCTTY, 0)
"""
COMMAND = f"{BEGIN}\nfrom rarr.cli import run\nsys.exit(run())"


class Running(NamedTuple):
    """A process, its standard error so far, and our end of its terminal or pipe."""

    child: "subprocess.Popen[bytes]"
    err: list[bytes]
    handle: int


Act = Callable[[Running], object]


class Outcome(NamedTuple):
    """The exit status (None: it did not end), the standard error, and the seconds from the act to the end."""

    status: int | None
    err: str
    seconds: float

    @property
    def clean(self) -> bool:
        """Did it end with only the one line, or was it done before the signal?"""
        return (self.status, self.err) in ((130, "rarr: interrupted\n"), (0, ""))


def ended(
    act: Act, program: str, argv: Sequence[str], home: Path, *, at: str = HANDLED, terminal: bool = False
) -> Outcome:
    """Starts a process in `home`, calls `act` when it opens the file or module `at`, and waits for its end.

    With `terminal` the process has its own terminal as standard input and error.
    """
    own_end, child_end = os.openpty() if terminal else os.pipe()
    child = subprocess.Popen(
        [sys.executable, "-c", program, at, *argv],
        stdin=child_end if terminal else subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=child_end,
        start_new_session=True,
        cwd=home,
        env=os.environ | {"RARR_HOME": str(home), "PYTHONPATH": str(ROOT)},
    )
    os.close(child_end)
    with _read(own_end) as err, child, _killed(child):
        assert child.stdout
        child.stdout.read(1)
        act(Running(child, err, own_end))
        started = time.perf_counter()
        with suppress(subprocess.TimeoutExpired):
            child.communicate(timeout=HANG_S)
        status, seconds = child.poll(), time.perf_counter() - started
    return Outcome(status, b"".join(err).decode(), seconds)


@contextmanager
def _killed(child: "subprocess.Popen[bytes]") -> Iterator[None]:
    """Kills the process and its children at the end of the block, or after three times `HANG_S`."""

    def kill() -> None:
        with suppress(ProcessLookupError):
            os.killpg(child.pid, signal.SIGKILL)

    late = threading.Timer(3 * HANG_S, kill)
    late.start()
    try:
        yield
    finally:
        late.cancel()
        kill()


@contextmanager
def _read(handle: int) -> Iterator[list[bytes]]:
    """Reads `handle` in a thread, so that no writer has to wait. After the block, everything is read."""
    read: list[bytes] = []

    def read_all() -> None:
        with suppress(OSError):  # a terminal ends with this error
            while data := os.read(handle, 4096):
                read.append(data)

    reading = threading.Thread(target=read_all, daemon=True)
    reading.start()
    try:
        yield read
    finally:
        reading.join()
        os.close(handle)


def signalled(after_s: float = 0.0, number: signal.Signals = signal.SIGINT) -> Act:
    """Waits `after_s` seconds and sends the signal."""

    def act(running: Running) -> None:
        time.sleep(after_s)
        running.child.send_signal(number)

    return act


def typed(after_s: float = 0.0) -> Act:
    """Waits `after_s` seconds and types Ctrl-C on the terminal: all its processes get the signal."""

    def act(running: Running) -> None:
        time.sleep(after_s)
        os.write(running.handle, b"\x03")

    return act


def calls(url: str, traces: Path) -> dict[str, tuple[str, list[str]]]:
    """Program and arguments by name. They write into the working directory; `replay` reads `traces`."""
    corpus, model = str(CORPUS), ["--model", "vllm:other", "--base-url", url]
    return {
        "revise": (COMMAND, ["revise", "--file", str(TEXTS / "sagrada-familia.md"), "--corpus", corpus]),
        "index": (COMMAND, ["index", corpus, "-o", "notes.index"]),
        "replay": (COMMAND, ["trace", "replay", str(traces / "t.json"), "--node", "check_agreement", *model]),
    }
