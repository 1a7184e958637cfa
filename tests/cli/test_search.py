"""Searches on the web from the command line: a local wiki, the cache, and nobody there."""

import json
from collections.abc import Iterator

import pytest
from retrievers.services import Service
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


def test_wikipedia_works_end_to_end(command: Command, wiki: Service) -> None:
    assert revised(command) == (0, "The Hoover Dam is 221 metres high.")


def test_wikipedia_is_not_asked_again_and_not_at_all_offline(command: Command, wiki: Service) -> None:
    revised(command)
    asked = len(wiki.asked)
    assert revised(command, "--offline") == (0, "The Hoover Dam is 221 metres high.")
    assert len(wiki.asked) == asked
    revised(command, "--refresh")
    assert len(wiki.asked) > asked


def test_wikipedia_without_a_network_is_one_line(command: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RARR_WIKIPEDIA_URL", refused_url().removesuffix("/v1"))
    done = command("revise", TEXT, "--search", "wikipedia")
    assert (done.status, is_complaint(done.err), "check the connection" in done.err) == (3, True, True)


def test_wikipedia_offline_and_never_asked_is_one_line(command: Command, wiki: Service) -> None:
    done = command("revise", TEXT, "--search", "wikipedia", "--offline")
    assert (done.status, is_complaint(done.err), "offline" in done.err) == (3, True, True)
