"""What holds for every test: no network, no settings from outside, the same random examples in CI."""

import gc
import ipaddress
import os
import sys
from collections.abc import Generator, Iterator
from contextlib import suppress
from itertools import count
from pathlib import Path
from typing import Any

import pytest
import urllib3  # noqa: F401  # once it is imported first, it binds a socket, which the hook below refuses
from blocking import watched
from hypothesis import settings
from outcomes import Outcomes
from prompt_answers import PROMPT_ANSWERS

from rarr.testing.card_answers import ANSWERS
from rarr.tools.text.blocks_and_sentences import sentences

ANSWERS.update(PROMPT_ANSWERS)  # `RuleModel` answers the prompts of all rooms in tests

IN_CI = "CI" in os.environ
settings.register_profile("rarr", deadline=None, derandomize=IN_CI, max_examples=100 if IN_CI else 25)
settings.load_profile("rarr")

LOOPBACK = {"127.0.0.1", "::1", "localhost"}
CONNECTING = {"socket.connect", "socket.bind", "socket.sendto", "socket.sendmsg"}
RESOLVING = {"socket.getaddrinfo", "socket.gethostbyname", "socket.gethostbyaddr"}

_counter = count()
_marks: set[str] = set()  # of the test that runs, with the fixtures of every scope that it sets up


def _refuse_network(event: str, args: tuple[Any, ...]) -> None:
    """An audit hook sees every socket of this process, whichever library opened it.

    It ends the test with an outcome that `except Exception` does not catch, because much of `rarr` turns a
    connection that failed into a warning. Processes that a test starts are not watched.
    """
    if "live" in _marks:
        return
    host = None
    if event in CONNECTING and isinstance(args[1], tuple):  # otherwise it is a path: AF_UNIX
        host = args[1][0]
    elif event in RESOLVING:
        host = args[0].decode() if isinstance(args[0], bytes) else args[0]
        with suppress(ValueError):
            host = None if not host or host in LOOPBACK or ipaddress.ip_address(host) else host
    if host is not None and not ("loopback" in _marks and host in LOOPBACK):
        pytest.fail(f"{event} to {host!r}: use a fake, or mark the test loopback (this machine) or live")


sys.addaudithook(_refuse_network)


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addoption("--slow", action="store_true", help="run the tests that take longer as well")
    parser.addoption("--live", action="store_true", help="run the tests that use the network as well")
    parser.addoption("--outcomes", type=Path, help="write which tests ran, and why others did not, to a file")
    parser.addoption("--left-by", type=Path, help="leave out the tests that ran by this file of --outcomes")


def pytest_configure(config: pytest.Config) -> None:
    paths = [config.getoption(option) for option in ("--outcomes", "--left-by")]
    if any(paths):
        config.pluginmanager.register(Outcomes(*paths))


def pytest_collection_finish() -> None:
    gc.collect()
    gc.freeze()  # or each collection goes through all modules and tests again


def pytest_collection_modifyitems(config: pytest.Config, items: list[pytest.Item]) -> None:
    for item in items:
        for mark in ("slow", "live"):
            if item.get_closest_marker(mark) and not config.getoption(f"--{mark}"):
                item.add_marker(pytest.mark.skip(reason=f"needs --{mark}"))


@pytest.hookimpl(wrapper=True)
def pytest_runtest_protocol(item: pytest.Item) -> Generator[None, object, object]:
    _marks.update(mark.name for mark in item.iter_markers())
    try:
        return (yield)
    finally:
        _marks.clear()


@pytest.fixture(autouse=True)
def _no_blocking_call_on_an_event_loop(request: pytest.FixtureRequest) -> Iterator[None]:
    if request.node.get_closest_marker("browser"):  # Playwright runs the whole test in an event loop
        yield
        return
    sentences.cache_clear()  # or what another test split would not be split here
    with watched() as seen:
        yield
    if seen:
        pytest.fail("the event loop waits for " + "\n".join(dict.fromkeys(seen)))


@pytest.fixture(autouse=True, scope="session")
def _no_home_of_the_user(tmp_path_factory: pytest.TempPathFactory) -> Iterator[None]:
    """Fixtures of modules are made before those of a test: they too keep out of the home of the user."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setenv("RARR_HOME", str(tmp_path_factory.mktemp("home")))
        yield


@pytest.fixture(autouse=True)
def _no_settings_from_outside(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> None:
    for name in os.environ:
        if name.upper().startswith("RARR_"):
            monkeypatch.delenv(name)
    factory: pytest.TempPathFactory = request.getfixturevalue("tmp_path_factory")
    folder = factory.getbasetemp() / f"no-folder-{next(_counter)}"  # most tests never write: it is not made
    if "tmp_path" in request.fixturenames:
        folder = request.getfixturevalue("tmp_path")
    monkeypatch.setenv("RARR_HOME", str(folder / "home"))
