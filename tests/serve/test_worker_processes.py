"""Worker processes whose jobs do not end."""

import subprocess
import sys

import pytest

# Such an expression computes for hours, and holds the lock of Python meanwhile.
HANGING = """
import re, time
from rarr.serve import worker_processes
from rarr.serve.jobs import Job

class Hanging:
    async def run(self, job):
        re.match("(a+)+$", "a" * 60 + "b")

worker_processes.OVERRUN_S, worker_processes._tasks = 0.2, Hanging()
worker_processes._answer(Job("revise", "It opened.", "r", deadline_s=0.1), time.monotonic())
"""


@pytest.mark.slow
def test_process_whose_job_hangs_beyond_its_deadline_ends() -> None:
    assert subprocess.run([sys.executable, "-c", HANGING], timeout=60, check=False).returncode == 1
