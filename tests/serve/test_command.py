"""`rarr serve` as a process: its start, its log, and how it ends."""

import json
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import httpx2
import pytest

from benchmarks.serve_load import descendants
from rarr.testing import ScriptedServer
from serve.serving import ALICE, answers

SECRET_TEXT = "The Hoover Dam is 212 metres high."
EXAMPLES = Path(__file__).parents[2] / "examples" / "corpus"
pytestmark = [pytest.mark.loopback, pytest.mark.slow]


@contextmanager
def serving(*options: str, home: Path, **variables: str) -> Iterator[tuple[subprocess.Popen[str], str]]:
    """The process, and its root address once it is ready."""
    command = [sys.executable, "-m", "rarr", "serve", "--port", "0", "--workers", "1", *options]
    environment = {"PATH": "", "RARR_HOME": str(home), "PYTHONPATH": ":".join(sys.path), **variables}
    with subprocess.Popen(command, stderr=subprocess.PIPE, text=True, env=environment, cwd=home) as process:
        assert process.stderr is not None
        try:
            line = process.stderr.readline()
            assert line.startswith("rarr: listening at http://127.0.0.1:"), line + process.stderr.read()
            yield process, line.split()[-1].removesuffix("/v1")
        finally:
            process.kill()


def ended(process: subprocess.Popen[str]) -> tuple[int, list[dict[str, Any]]]:
    """Waits for the end; the exit status and the lines of the log."""
    _, log = process.communicate(timeout=30)
    return process.returncode, [json.loads(line) for line in log.splitlines()]


def test_log_has_the_run_and_neither_key_nor_text(tmp_path: Path) -> None:
    corpus = f"dams={EXAMPLES / 'hoover-dam.md'}"
    with (
        ScriptedServer(answers(SECRET_TEXT)) as upstream,
        serving("--upstream", upstream.url, "--corpus", corpus, home=tmp_path, RARR_SERVE_TOKEN=ALICE) as (
            process,
            root,
        ),
    ):
        body = {"model": "scripted", "messages": [{"role": "user", "content": "my-secret-question"}]}
        headers = {"Authorization": f"Bearer {ALICE}"}
        answer = httpx2.post(
            f"{root}/v1/chat/completions?key=sk-query", json=body, headers=headers, timeout=60
        )
        httpx2.get(f"{root}/v1/sk-path-0123456789", headers=headers)
        process.send_signal(signal.SIGTERM)
        status, log = ended(process)
    assert status == 0
    assert answer.json()["choices"][0]["message"]["content"] == SECRET_TEXT.replace("212", "221")
    run_id = answer.headers["x-rarr-run"]
    assert [(line["event"], line.get("run_id"), line["status"]) for line in log] == [
        ("request", run_id, 200),
        ("request", None, 404),
    ]
    for secret in (ALICE, "metres", "secret", "sk-"):
        assert secret not in str(log)


def test_no_process_is_left(tmp_path: Path) -> None:
    with serving(home=tmp_path) as (process, _):
        started = descendants(process.pid)
        process.kill()
        process.wait()
        assert len(started) >= 2  # the server of forks and a worker
        for pid in started:
            gone(pid)


def gone(pid: int) -> None:
    """Waits until there is no process of this number, or only its shell."""
    for _ in range(100):
        try:
            state = Path(f"/proc/{pid}/stat").read_text().split()[2]
        except OSError:
            return
        if state == "Z":
            return
        time.sleep(0.1)
    pytest.fail(f"process {pid} is left")
