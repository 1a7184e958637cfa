"""The real command over standard input and over HTTP, by the client of the package mcp."""

import subprocess
import sys
from collections.abc import Iterator

import httpx2
import pytest
from cli.helpers import is_complaint
from mcp import Client, StdioServerParameters
from mcp.client.streamable_http import streamable_http_client

from integrations.mcp.calls import RIGHT, WRONG, records, refusal

pytestmark = pytest.mark.slow
MCP = [sys.executable, "-m", "rarr", "mcp"]


async def test_standard_input(command: StdioServerParameters) -> None:
    async with Client(command) as client:
        revised = await records(client, "revise_text", text=WRONG)
        assert revised["text"] == RIGHT
        assert "no argument 'corpus'" in await refusal(client, "revise_text", text=WRONG, corpus="/etc")


@pytest.mark.parametrize(
    ("options", "words"),
    [
        (["--corpus", "none"], "corpus 'none' cannot be read"),
        (["--corpus", "specs", "--port", "80"], "add --transport http"),
        (["--corpus", "specs", "--transport", "sse"], "--transport"),
        (["--corpus", "specs", "--transport", "http", "--host", "0.0.0.0"], "set RARR_MCP_TOKEN"),
        (["--corpus", "specs", "--transport", "http", "--host", "256.1.1.1"], "set RARR_MCP_TOKEN"),
        (["--corpus", "specs", "--transport", "http", "--port", "99999"], "--port"),
    ],
)
def test_wrong_calls_are_status_2_and_one_line(options: list[str], words: str) -> None:
    done = subprocess.run([*MCP, *options], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert is_complaint(done.stderr.decode())
    assert words in done.stderr.decode()


@pytest.mark.parametrize(
    ("token", "words"), [("", "set RARR_MCP_TOKEN"), ("  ", "set RARR_MCP_TOKEN"), ("x", "16 characters")]
)
def test_a_token_that_can_be_guessed_is_refused(
    token: str, words: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("RARR_MCP_TOKEN", token)
    options = ["--corpus", "specs", "--transport", "http", "--host", "0.0.0.0"]
    done = subprocess.run([*MCP, *options], capture_output=True, timeout=60, check=False)
    assert (done.returncode, is_complaint(done.stderr.decode())) == (2, True)
    assert words in done.stderr.decode()


@pytest.fixture
def token() -> str | None:
    return None


@pytest.fixture
def address(token: str | None, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of the real command over HTTP, at a free port."""
    if token is not None:
        monkeypatch.setenv("RARR_MCP_TOKEN", token)
    options = ["--corpus", "specs", "--transport", "http", "--port", "0"]
    with subprocess.Popen([*MCP, *options], stderr=subprocess.PIPE, text=True) as process:
        assert process.stderr
        yield process.stderr.readline().removeprefix("rarr: listening at ").strip()
        process.terminate()
        rest = process.stderr.read()
    assert all(line.startswith("rarr: ") for line in rest.splitlines()), rest


@pytest.mark.loopback
async def test_streamable_http(address: str) -> None:
    async with Client(address) as first, Client(address) as second:
        revised = await records(first, "revise_text", text=WRONG)
        assert revised["text"] == RIGHT
        assert (await records(second, "verify_claim", claim=WRONG))["label"] == "contradictory"


@pytest.mark.loopback
async def test_a_foreign_page_cannot_reach_a_server_of_this_machine(address: str) -> None:
    call = {"jsonrpc": "2.0", "id": 1, "method": "tools/list"}
    accepts = {"Accept": "application/json, text/event-stream"}
    async with httpx2.AsyncClient() as http:
        for header in ({"Host": "evil.example"}, {"Origin": "http://evil.example"}):
            answer = await http.post(address, json=call, headers=accepts | header)
            assert answer.status_code in (403, 421)


@pytest.mark.loopback
@pytest.mark.parametrize("token", ["a-long-s3cret-token"])
async def test_a_token_is_asked_for(address: str, token: str) -> None:
    async with httpx2.AsyncClient() as http:
        for value in ({}, {"Authorization": "Bearer wrong"}, {"Authorization": f"Basic {token}"}):
            assert (await http.post(address, json={}, headers=value)).status_code == 401
    headers = {"Authorization": f"Bearer {token}"}
    async with (
        httpx2.AsyncClient(headers=headers) as http,
        Client(streamable_http_client(address, http_client=http)) as client,
    ):
        assert (await records(client, "verify_claim", claim=WRONG))["label"] == "contradictory"


def test_without_the_package_the_error_names_the_cure() -> None:
    code = "import sys; sys.modules['mcp'] = None; from rarr.cli import run; sys.exit(run(['mcp']))"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, timeout=60, check=False)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b'pip install "rarr[mcp]"' in done.stderr
