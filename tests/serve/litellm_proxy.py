"""Runs the proxy of LiteLLM as a process, for tests and measurements. It has an environment of its own.

LiteLLM needs an older `rich` than `rarr`, so that they cannot share one: `make extras` installs it into
`.venv/litellm`.
"""

import socket
import subprocess
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import httpx2

COMMAND = Path(__file__).parents[2] / ".venv" / "litellm" / "bin" / "litellm"
KEY = "sk-0123456789abcdef0123456789abcdef"
"""The key that its callers send: it does not start without one."""
START_S = 120
MISSING = "needs LiteLLM's proxy: make extras"


@contextmanager
def litellm_proxy(config: str, folder: Path) -> Iterator[str]:
    """Runs the proxy with this YAML, and yields its base URL. Its log is `litellm.log` in `folder`."""
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    (folder / "config.yaml").write_text(config, encoding="utf-8")
    log = folder / "litellm.log"
    command = [str(COMMAND), "--config", "config.yaml", "--host", "127.0.0.1", "--port", str(port)]
    # Without the second variable it asks the network for prices at its start.
    environment = {
        "LITELLM_MASTER_KEY": KEY,
        "LITELLM_LOCAL_MODEL_COST_MAP": "True",
        "HOME": str(folder),
        "PATH": "",
    }
    with (
        log.open("w") as out,
        subprocess.Popen(command, stdout=out, stderr=out, env=environment, cwd=folder) as running,
    ):
        try:
            _wait(running, f"http://127.0.0.1:{port}/health/liveliness", log)
            yield f"http://127.0.0.1:{port}/v1"
        finally:
            running.terminate()


def _wait(running: "subprocess.Popen[bytes]", url: str, log: Path) -> None:
    """Waits until it answers. Raises `RuntimeError` with its log if it ends, or takes too long."""
    end = time.monotonic() + START_S
    while running.poll() is None and time.monotonic() < end:
        try:
            if httpx2.get(url).status_code == 200:
                return
        except httpx2.TransportError:
            time.sleep(0.1)
    raise RuntimeError(f"LiteLLM's proxy did not start:\n{log.read_text()[-2000:]}")
