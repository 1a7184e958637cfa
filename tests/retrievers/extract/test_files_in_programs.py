"""Files are read in processes that end with the program that asked: a script, a parent, a fork."""

import os
import signal
import sys
from pathlib import Path
from subprocess import PIPE, Popen, run

import pytest
from families import few

from retrievers.extract.endings import (
    PATIENCE_S,
    no_process_stays as no_process_stays,
    posix,
    runs,
    until,
)

pytestmark = pytest.mark.usefixtures("no_process_stays")

TESTS = Path(__file__).parents[2]
ROOT = TESTS.parent


def script(text: str, *, wait: bool = True) -> Popen[str]:
    """A program of a user's, run from a folder that is not that of the package."""
    path = os.pathsep.join([str(ROOT), str(TESTS)])
    program = Popen(
        [sys.executable, "-c", text],
        stdout=PIPE,
        stderr=PIPE,
        text=True,
        cwd="/",
        env={**os.environ, "PYTHONPATH": path},
        start_new_session=True,
    )
    if wait:
        program.wait(PATIENCE_S)
    return program


@pytest.mark.slow
def test_extraction_works_in_a_script_without_a_main_guard() -> None:
    program = run(
        [sys.executable, "-"],
        input="import asyncio\nprint('begun')\nfrom rarr.retrievers.extract.limited_calls import extracted\n"
        "from retrievers import calls\nprint(asyncio.run(extracted(calls.double, 2)))\n",
        capture_output=True,
        text=True,
        cwd="/",
        env={**os.environ, "PYTHONPATH": os.pathsep.join([str(ROOT), str(TESTS)])},
        check=False,
    )
    assert (program.stdout, program.stderr, program.returncode) == ("begun\n4\n", "", 0)


PARENT = """
import asyncio, sys, threading
from rarr.retrievers.extract import limited_calls as processes
from rarr.retrievers.extract.limited_calls import extracted
from retrievers import calls
async def main():
    task = asyncio.create_task(extracted({call}))
    while not processes.pids():
        await asyncio.sleep(0.01)
    print(*processes.pids(), flush=True)
    await asyncio.sleep(60)
asyncio.run(main())
"""


@pytest.mark.slow
@posix
@pytest.mark.parametrize("call", ["calls.sleep, 60", "calls.spin", "calls.double, 2"])
@pytest.mark.parametrize("end", few(["SIGKILL", "SIGTERM", "SIGINT"], every=3))
def test_extraction_ends_with_its_parent(call: str, end: str) -> None:
    program = script(PARENT.format(call=call), wait=False)
    assert program.stdout
    pid = int(program.stdout.readline())
    os.killpg(program.pid, signal.Signals[end])
    _, errors = program.communicate(timeout=PATIENCE_S)
    assert until(lambda: not runs(pid))
    assert "worker_main" not in errors


@pytest.mark.slow
@posix
def test_extraction_holding_the_lock_of_python_ends_at_its_limit_without_a_parent() -> None:
    module = "from rarr.retrievers.extract import limited_calls"
    short = f"{module}\nlimited_calls.PAGE = limited_calls.CallLimits(2, 100)\n"
    program = script(short + PARENT.format(call="calls.backtrack"), wait=False)
    assert program.stdout
    pid = int(program.stdout.readline())
    program.kill()
    program.communicate()
    assert until(lambda: not runs(pid))


FORK = """
import asyncio, os
from rarr.retrievers.extract import limited_calls as processes
from rarr.retrievers.extract.limited_calls import extracted
from retrievers import calls
before = asyncio.run(extracted(calls.process))
if not (fork := os.fork()):
    other = asyncio.run(extracted(calls.process))
    processes.end_idle()
    os._exit(0 if other != before else 1)
assert os.waitpid(fork, 0)[1] == 0
assert asyncio.run(extracted(calls.process)) == before
"""


@pytest.mark.slow
@posix
def test_extraction_works_in_a_fork() -> None:
    program = script(FORK)
    assert (program.communicate()[1], program.returncode) == ("", 0)
