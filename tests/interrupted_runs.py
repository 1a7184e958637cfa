"""Commands, and a loop over `Reviser.revise`, as processes that tests interrupt at chosen or random moments.

A clean end has one line on standard error and exit status 130, or no line and exit status 0 if the process
was done before. Moments count from the time when `rarr` handles signals.
"""

import os
import random
import signal
import subprocess
import sys
import threading
import time
from collections.abc import Callable, Iterator, Sequence
from contextlib import contextmanager, suppress
from pathlib import Path
from typing import NamedTuple

from rarr import Reviser, Settings, Trace
from rarr.testing import RuleModel, ScriptedServer

ROOT = Path(__file__).resolve().parent.parent
TEXTS, CORPUS, DATA = (ROOT / "examples" / name for name in ("texts", "corpus", "eval.jsonl"))
TRACED = ("sagrada-familia.md", "kestrel-library.md")
IMPORTS_S = 0.25
HANG_S = 20.0
"""A process that runs longer than this after the act is taken to hang."""

HANDLED = "rarr.cli.interrupts"
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
LOOP = f"""{BEGIN}
try:
    from pathlib import Path
    from rarr import Reviser, Settings
    with Reviser(Settings(corpus=sys.argv[1])) as reviser:
        reviser.revise("One.")  # while C libraries are imported, Python at times swallows the exception
        import rarr.cli.interrupts
        for file in sys.argv[2:]:
            reviser.revise(Path(file).read_text())
    os._exit(0)  # how Python ends is not in question
except KeyboardInterrupt:
    sys.stderr.write("rarr: interrupted\\n")
    sys.exit(130)
"""


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


def moments(count: int, longest_s: float, seed: int) -> list[float]:
    """Random moments in seconds, a quarter of them while a command imports its modules."""
    chance = random.Random(seed)
    return [chance.uniform(0, longest_s if number % 4 else IMPORTS_S) for number in range(count)]


def calls(url: str, traces: Path) -> dict[str, tuple[str, list[str]]]:
    """Program and arguments by name. They write into the working directory; `replay` reads `traces`."""
    corpus, model = str(CORPUS), ["--model", "vllm:other", "--base-url", url]
    return {
        "revise": (COMMAND, ["revise", "--file", str(TEXTS / TRACED[0]), "--corpus", corpus]),
        "eval": (COMMAND, ["eval", str(DATA), "-o", "scores", "--corpus", corpus, "--limit", "3"]),
        "index": (COMMAND, ["index", corpus, "-o", "notes.index"]),
        "replay": (COMMAND, ["trace", "replay", str(traces / "t.json"), "--node", "check_agreement", *model]),
        "loop": (LOOP, [corpus, str(TEXTS / TRACED[0])]),
    }


@contextmanager
def serving(folder: Path) -> Iterator[tuple[str, Path]]:
    """The address of two language models, and a folder with traces of runs that asked one of them."""
    traces = folder / "traces"
    traces.mkdir()
    with ScriptedServer(RuleModel(), models=("scripted", "other"), latency=0.05) as server:
        settings = Settings(corpus=CORPUS, home=folder, model="vllm:scripted", base_url=server.url)
        with Reviser(settings) as reviser:
            for text in TRACED:
                run_id = reviser.revise((TEXTS / text).read_text(encoding="utf-8")).run_id
                Trace.load(run_id, home=folder).write(traces / f"{run_id}.json")
        yield server.url, traces
