"""The graph as LangGraph's own server gives it: over HTTP, without a network or a key."""

import asyncio
import importlib.util
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest
from langgraph.pregel.remote import RemoteGraph
from langgraph_sdk import get_client

from rarr import Revision, Trace
from rarr.agent.studio import graph

ROOT = Path(__file__).parent.parent.parent
TEXT = "The Hoover Dam is 212 metres high."
served = pytest.mark.skipif(
    importlib.util.find_spec("langgraph_api") is None, reason="needs langgraph-cli[inmem]"
)
TOOL = str(Path(sys.executable).with_name("langgraph"))


def test_input_is_plain_json() -> None:
    schema = graph.get_input_jsonschema()
    assert (list(schema["properties"]), schema["required"]) == (["text", "context"], ["text"])


@served
@pytest.mark.slow
def test_configuration_is_valid() -> None:
    done = subprocess.run([TOOL, "validate"], cwd=ROOT, capture_output=True, text=True, check=False)
    assert (done.returncode, "1 graph found" in done.stdout) == (0, True)


@pytest.fixture
def url(tmp_path: Path) -> Iterator[str]:
    for name in ("rarr", "examples", "langgraph.json", "pyproject.toml"):
        (tmp_path / name).symlink_to(ROOT / name)  # the server writes beside what it serves
    with socket.socket() as free:
        free.bind(("127.0.0.1", 0))
        port = str(free.getsockname()[1])
    call = [TOOL, "dev", "--no-browser", "--no-reload", "--port", port]
    environment = os.environ | {"RARR_CORPUS": "examples/corpus", "PYTHONPATH": str(ROOT)}
    with subprocess.Popen(
        call, cwd=tmp_path, env=environment, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL
    ) as server:
        yield f"http://127.0.0.1:{port}"
        server.terminate()


@served
@pytest.mark.slow
@pytest.mark.loopback
async def test_server_answers_a_run_and_keeps_its_trace(url: str) -> None:
    await started(url)
    async with get_client(url=url) as client:
        remote = RemoteGraph("rarr", client=client)
        stream = remote.astream({"text": TEXT}, stream_mode="updates", subgraphs=True)
        steps: list[Any] = [part async for part in stream]
        empty = await remote.ainvoke({"text": ""})
    inner = [node for place, update in steps for node in update if place]
    assert (inner[0], inner[-1]) == ("generate_queries", "evaluate")
    revision = Revision.model_validate(steps[-1][1]["revise"]["revision"])
    assert revision.text == "The Hoover Dam is 221 metres high."
    assert empty["error"] == "text is empty: give at least one sentence"
    assert await asyncio.to_thread(lambda: Trace.load(revision.run_id).revision) == revision


async def started(url: str) -> None:
    for _ in range(300):
        try:
            _, writer = await asyncio.open_connection("127.0.0.1", int(url.rpartition(":")[2]))
        except OSError:
            await asyncio.sleep(0.1)
        else:
            writer.close()
            await writer.wait_closed()
            return
