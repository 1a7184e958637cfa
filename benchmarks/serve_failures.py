"""The failures of `python -m benchmarks.serve failures`: what a caller gets meanwhile, and afterwards."""

import os
import resource
import signal
import tempfile
import threading
from collections.abc import Callable
from typing import Any

import httpx2

from benchmarks.report import table
from benchmarks.serve import ASK, process, upstream
from benchmarks.serve_load import _descendants
from rarr.testing import ScriptedServer
from rarr.testing.server import refused_url

WRONG, RIGHT = "The Hoover Dam is 212 metres high.", "The Hoover Dam is 221 metres high."
Home = tempfile.TemporaryDirectory
Row = list[str]


def failures() -> None:
    """Prints a row for each failure."""
    rows = [part() for part in (killed_worker, full_disk, dead_upstream, dead_model, restart)]
    print(table(("failure", "meanwhile", "afterwards"), rows))


def ask(root: str) -> str:
    """Asks, and says what came."""
    try:
        response = httpx2.post(f"{root}/v1/chat/completions", json=ASK, timeout=60)
    except httpx2.HTTPError as error:
        return f"NO ANSWER: {type(error).__name__}"
    if response.status_code != 200:
        return f"status {response.status_code}: {response.json()['error']['message']}"
    answer: Any = response.json()
    kind = {WRONG: "original", RIGHT: "revised"}.get(answer["choices"][0]["message"]["content"], "WRONG")
    return f"{kind}: {answer['rarr']['results'][0]['notice']}"


def _with_server(name: str, fail: Callable[[int], Callable[[], object]]) -> Row:
    """Asks while `fail(pid of the server)` holds, and once more after what it returned was called."""
    with (
        Home(ignore_cleanup_errors=True) as home,
        upstream("wrong") as url,
        process(url, home) as (server, root),
    ):
        ask(root)
        mend = fail(server.pid)
        meanwhile = ask(root)
        mend()
        return [name, meanwhile, ask(root)]


def killed_worker() -> Row:
    """All workers are killed with signal 9."""

    def fail(pid: int) -> Callable[[], object]:
        forks = next(child for child in _descendants(pid) if _descendants(child))
        for worker in _descendants(forks):
            os.kill(worker, signal.SIGKILL)
        return lambda: None

    return _with_server("kill -9 of all workers", fail)


def full_disk() -> Row:
    """No process can write a byte to a file, as on a full disk."""

    def limit(pids: list[int], most: int) -> None:
        for pid in pids:
            _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
            resource.prlimit(pid, resource.RLIMIT_FSIZE, (most, hard))

    def fail(pid: int) -> Callable[[], object]:
        pids = [pid, *_descendants(pid)]
        limit(pids, 0)
        return lambda: limit(pids, resource.RLIM_INFINITY)

    return _with_server("full disk", fail)


def dead_upstream() -> Row:
    """The server behind is gone, and comes back at its address."""
    first = ScriptedServer(lambda request: WRONG)
    with first, Home(ignore_cleanup_errors=True) as home, process(first.url, home) as (_, root):
        ask(root)
        port = int(first.url.split(":")[2].split("/")[0])
        first.close()
        meanwhile = ask(root)
        with ScriptedServer(lambda request: WRONG, port=port):
            return ["dead server behind", meanwhile, ask(root)]


def dead_model() -> Row:
    """The language model that checks is gone."""
    dead = ("--model", "vllm:gone", "--base-url", refused_url())
    with Home(ignore_cleanup_errors=True) as home, upstream("wrong") as url:
        with process(url, home, *dead) as (_, root):
            meanwhile = ask(root)
        with process(url, home) as (_, root):
            return ["dead model", meanwhile, f"with another model, {ask(root)}"]


def restart() -> Row:
    """The server is told to end while a request is under way, and is started again."""
    with Home(ignore_cleanup_errors=True) as home, upstream("wrong") as url:
        said: list[str] = []
        with process(url, home) as (server, root):
            ask(root)
            asking = threading.Thread(target=lambda: said.append(ask(root)))
            asking.start()
            while "rarr_requests_in_flight 2.0" not in httpx2.get(f"{root}/metrics").text:
                pass
            server.send_signal(signal.SIGTERM)
            asking.join()
        with process(url, home) as (_, root):
            return ["restart", said[0], ask(root)]
