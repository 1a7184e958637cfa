"""`rarr serve` as a process: its log, its workers, its port, and its end."""

import errno
import json
import signal
import socket
import subprocess
import sys
import time
from pathlib import Path
from typing import Any

import httpx2
import pytest
from agent.dams import RIGHT, WRONG

from benchmarks.serve_load import descendants, serve_rarr
from rarr import Settings
from rarr.serve import server
from rarr.serve.server import listening_socket
from rarr.testing import ScriptedServer
from serve.serving import ALICE, KnownRunner

pytestmark = [pytest.mark.loopback, pytest.mark.slow]
NOTES = Path("notes")


def test_log_has_the_run_and_neither_key_nor_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_SERVE_TOKEN", ALICE)
    token = {"Authorization": f"Bearer {ALICE}"}
    body: dict[str, Any] = {"model": "scripted", "rarr": {"deadline_s": 600}}
    body["messages"] = [{"role": "user", "content": "my-secret-question"}]
    with (
        ScriptedServer({"": WRONG}) as upstream,
        serve_rarr(upstream.url, tmp_path, reads=False) as (process, root),
    ):
        answer = httpx2.post(f"{root}/v1/chat/completions?key=sk-query", json=body, headers=token, timeout=60)
        httpx2.get(f"{root}/v1/sk-path-0123456789", headers=token)
        process.send_signal(signal.SIGTERM)
        assert process.wait(60) == 0
    assert answer.json()["choices"][0]["message"]["content"] == RIGHT
    _, log = (tmp_path / "serve.log").read_text().split("\n", 1)
    lines = [json.loads(line) for line in log.splitlines()]
    assert [(line["event"], line.get("run_id"), line["status"]) for line in lines] == [
        ("request", answer.headers["x-rarr-run"], 200),
        ("request", None, 404),
    ]
    assert not [secret for secret in (ALICE, "metres", "secret", "sk-") if secret in log]


def process_state(pid: int) -> str:
    """Returns the state of a process. Z: the process has ended."""
    try:
        return Path(f"/proc/{pid}/stat").read_text().split()[2]
    except OSError:
        return "Z"


def test_no_process_is_left(tmp_path: Path) -> None:
    with serve_rarr("http://127.0.0.1:9/v1", tmp_path, reads=False) as (process, _):
        started = descendants(process.pid)
        process.kill()
        process.wait()
        assert len(started) >= 2  # the server of forks and a worker
        end = time.monotonic() + 60
        while {*map(process_state, started)} != {"Z"}:
            assert time.monotonic() < end, started
            time.sleep(0.1)


def test_workers_get_no_tokens_and_a_model_as_many_requests_as_there_are_callers() -> None:
    settings = Settings(serve_token="secret-0123456789ab", corpus=NOTES, serve_workers=3)
    runner: Any = server.make_runner(settings)
    kept = [(worker._settings.serve_token, worker._settings.corpus) for worker in runner._workers]
    assert kept == [(None, NOTES)] * 3
    reading: Any = server.make_runner(Settings(model="ollama:x", serve_concurrency=9))
    assert reading.at_once == 9 and "concurrency" not in reading._settings.model_fields_set


async def test_port_opens_when_the_server_is_ready(monkeypatch: pytest.MonkeyPatch) -> None:
    with listening_socket("127.0.0.1", 0) as free:
        port = free.getsockname()[1]

    class Starting(KnownRunner):
        async def start(self) -> None:
            with socket.socket() as client:
                assert client.connect_ex(("127.0.0.1", port)) == errno.ECONNREFUSED

    monkeypatch.setattr(server, "make_runner", lambda _: Starting())
    with pytest.raises(ValueError, match=f"http://127.0.0.1:{port}/v1"):
        await server.serve(Settings(serve_port=port), int)  # which ends it once it is ready


# Such an expression computes for hours, and holds the lock of Python meanwhile.
HANGING = """
import re, time
from rarr.batches import jobs
class Hanging:
    async def result_or_error(self, job):
        re.match("(a+)+$", "a" * 60 + "b")
jobs.OVERRUN_S = 0.2
jobs._run_job(Hanging(), jobs.Job("postprocess", "It opened.", "r", deadline_s=0.1), time.monotonic())
"""


def test_process_whose_job_hangs_beyond_its_deadline_ends() -> None:
    done = subprocess.run([sys.executable, "-c", HANGING], timeout=60, check=False, capture_output=True)
    assert (done.returncode, done.stderr) == (1, b"")
