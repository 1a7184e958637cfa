"""Servers of other packages as processes."""

import socket
import subprocess
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from typing import Any

import httpx2

START_S = 120


@contextmanager
def server_process(command: Sequence[str], health: str, **options: Any) -> Iterator[str]:
    """Runs a server at a free port, and yields its root address once its path `health` answers."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = str(free.getsockname()[1])
    root = f"http://127.0.0.1:{port}"
    with subprocess.Popen([*command, "--port", port], **options) as running:
        end = time.monotonic() + START_S
        try:
            while True:
                try:
                    httpx2.get(f"{root}{health}").raise_for_status()
                    break
                except httpx2.HTTPError:
                    assert running.poll() is None and time.monotonic() < end
                    time.sleep(0.1)
            yield root
        finally:
            running.terminate()
