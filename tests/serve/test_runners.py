"""Real components behind the server: in worker processes, and in its own process for a language model."""

import errno
import os
import signal
import socket
import subprocess
import sys
import time
from collections.abc import Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from typing import Any

import pytest
from openai import OpenAI

from rarr import Settings
from rarr.batches.jobs import WorkerProcesses
from rarr.serve import server
from rarr.testing import ScriptedServer
from rarr.tools.guard.listening import listening_socket
from serve.serving import KnownRunner, Served, answers

pytestmark = [pytest.mark.loopback, pytest.mark.slow]

WRONG, RIGHT = "The Hoover Dam is 212 metres high.", "The Hoover Dam is 221 metres high."
EXAMPLES = Path(__file__).parents[2] / "examples" / "corpus"


@pytest.fixture(scope="module")
def home(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("serve-home")


@pytest.fixture(scope="module")
def pool(home: Path) -> WorkerProcesses:
    return WorkerProcesses(Settings(home=home, serve_corpora={"dams": EXAMPLES / "hoover-dam.md"}), 1)


@pytest.fixture(scope="module")
def served(pool: WorkerProcesses, home: Path) -> Iterator[Served]:
    with (
        ScriptedServer(answers(WRONG)) as upstream,
        Served(
            pool,
            serve_upstream_url=upstream.url,
            home=home,
            serve_corpora={"dams": EXAMPLES / "hoover-dam.md"},
        ) as served,
    ):
        yield served


def ask(served: Served) -> str:
    with OpenAI(base_url=served.url, api_key="x", max_retries=0) as client:
        asked: Any = {"messages": [{"role": "user", "content": "How high is the Hoover Dam?"}]}
        rarr = {"rarr": {"deadline_s": 60}}
        answer: Any = client.chat.completions.create(model="scripted", extra_body=rarr, **asked)
        return str(answer.choices[0].message.content)


def pids(pool: WorkerProcesses) -> list[int]:
    """The numbers of the processes."""
    assert pool._many._executor
    return list(pool._many._executor._processes)


def test_job_of_a_killed_worker_runs_again_in_another(served: Served, pool: WorkerProcesses) -> None:
    [pid] = pids(pool)
    os.kill(pid, signal.SIGSTOP)
    with ThreadPoolExecutor(1) as thread:
        asking = thread.submit(ask, served)
        while not (pool._many._executor and pool._many._executor._pending_work_items):
            time.sleep(0.01)
        os.kill(pid, signal.SIGKILL)
        answer = asking.result()
    assert (answer, ask(served)) == (RIGHT, RIGHT)
    assert pids(pool) != [pid]


def test_workers_get_no_tokens_and_a_model_as_many_requests_as_there_are_callers() -> None:
    settings = Settings(serve_token="secret-0123456789ab", serve_corpora={"dams": EXAMPLES}, serve_workers=3)
    runner: Any = server.made_runner(settings)
    assert runner._many._settings.serve_token is None
    assert (runner._many._settings.serve_corpora, runner._count) == ({"dams": EXAMPLES}, 3)
    reading: Any = server.made_runner(Settings(model="ollama:x", serve_concurrency=9))
    assert reading.at_once == 9 and "concurrency" not in reading._settings.model_fields_set


async def test_port_opens_when_the_server_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening_socket("127.0.0.1", 0) as free:
        port = free.getsockname()[1]

    class Starting(KnownRunner):
        async def start(self) -> None:
            with socket.socket() as client:
                assert client.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED

    monkeypatch.setattr(server, "made_runner", lambda _: Starting())
    with pytest.raises(ValueError, match=f"http://127.0.0.1:{port}/v1"):
        await server.serve(Settings(serve_port=port), int)  # which ends it once it is ready


# Such an expression computes for hours, and holds the lock of Python meanwhile.
HANGING = """
import re, time
from rarr.batches import jobs
class Hanging:
    async def run(self, job):
        re.match("(a+)+$", "a" * 60 + "b")
jobs.OVERRUN_S, jobs._tasks = 0.2, Hanging()
jobs._outcome(jobs.Job("postprocess", "It opened.", "r", deadline_s=0.1), time.monotonic())
"""


def test_process_whose_job_hangs_beyond_its_deadline_ends() -> None:
    assert subprocess.run([sys.executable, "-c", HANGING], timeout=60, check=False).returncode == 1
