"""Searches on the web from the command line: a local wiki, the cache, and nobody there."""

import json
import os
import socket
import subprocess
import sys
from collections.abc import Iterator
from pathlib import Path

import pytest
from retrievers.services import Said, Service
from retrievers.wikis import Wiki

from cli.helpers import Command, is_complaint
from rarr.testing import refused_url

TEXT = "The Hoover Dam is 212 metres high."
pytestmark = pytest.mark.loopback


@pytest.fixture
def wiki(monkeypatch: pytest.MonkeyPatch) -> Iterator[Service]:
    text = "The Hoover Dam is a dam on the Colorado River.\n\n== Size ==\nThe Hoover Dam is 221 metres high."
    with Service(Wiki(**{"Hoover Dam": text})) as service:
        monkeypatch.setenv("RARR_WIKIPEDIA_URL", service.url)
        yield service


def revised(command: Command, *options: str) -> tuple[int, str]:
    done = command("revise", TEXT, "--search", "wikipedia", "--json", *options)
    return done.status, json.loads(done.out)["text"]


@pytest.mark.slow
def test_wikipedia_works_end_to_end(command: Command, wiki: Service) -> None:
    assert revised(command) == (0, "The Hoover Dam is 221 metres high.")


@pytest.mark.slow
def test_wikipedia_is_not_asked_again_and_not_at_all_offline(command: Command, wiki: Service) -> None:
    revised(command)
    asked = len(wiki.asked)
    assert revised(command, "--offline") == (0, "The Hoover Dam is 221 metres high.")
    assert len(wiki.asked) == asked
    revised(command, "--refresh")
    assert len(wiki.asked) > asked


@pytest.mark.slow
def test_wikipedia_without_a_network_is_one_line(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WIKIPEDIA_URL", refused_url().removesuffix("/v1"))
    done = command("revise", TEXT, "--search", "wikipedia")
    assert (done.status, is_complaint(done.err), "check the connection" in done.err) == (3, True, True)


def test_wikipedia_offline_and_never_asked_is_one_line(command: Command, wiki: Service) -> None:
    done = command("revise", TEXT, "--search", "wikipedia", "--offline")
    assert (done.status, is_complaint(done.err), "offline" in done.err) == (3, True, True)


@pytest.mark.slow
def test_wikipedia_that_says_nothing_is_one_line(tmp_path: Path) -> None:
    program = "import sys; from rarr.cli import run; sys.exit(run(sys.argv[1:]))"
    words = ["revise", "--search", "wikipedia", "The bridge was built in 1932."]
    argv = [sys.executable, "-c", program, *words]
    with socket.create_server(("127.0.0.1", 0)) as server:
        url = f"http://127.0.0.1:{server.getsockname()[1]}/w/api.php"
        settings = {"RARR_WIKIPEDIA_URL": url, "RARR_HOME": str(tmp_path)}
        done = subprocess.run(argv, env=os.environ | settings, capture_output=True, text=True, timeout=30)
    assert (done.returncode, is_complaint(done.stderr)) == (3, True)
    assert "check the connection and wikipedia_url, or set corpus to search your own documents" in done.stderr


def test_wikipedia_at_a_wrong_address_is_one_line(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    with Service(lambda asked: Said("<html>Not found</html>", 404)) as service:
        monkeypatch.setenv("RARR_WIKIPEDIA_URL", f"{service.url}/api.php")
        done = command("revise", TEXT, "--search", "wikipedia")
    assert (done.status, is_complaint(done.err)) == (3, True)
    assert (
        "/api.php is not the API of a MediaWiki (it answers with status 404): set wikipedia_url" in done.err
    )


def test_wikipedia_article_that_failed_is_a_warning(
    command: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    text = "The Hoover Dam is 221 metres high."
    broken = Wiki(**{"Hoover Dam": text, "Dam": f"{text} It is a dam."})
    broken.broken = {"Dam"}
    with Service(broken) as service:
        monkeypatch.setenv("RARR_WIKIPEDIA_URL", service.url)
        done = command("revise", TEXT, "--search", "wikipedia", "--json")
    warnings = json.loads(done.out)["warnings"]
    assert (done.status, {warning["code"] for warning in warnings}) == (0, {"page_failed"})
    assert f"{service.url}/wiki/Dam: " in warnings[0]["message"]
