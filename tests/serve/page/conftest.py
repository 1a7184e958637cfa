"""Serves the page with real components, and opens it in a Chromium that reaches this server alone."""

from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pytest
from browsing import Watch, started
from playwright.sync_api import Browser, BrowserContext, Page

from rarr import Settings
from rarr.serve.in_process import InProcess
from serve.serving import Served

CORPUS = Path(__file__).parents[3] / "examples" / "corpus"
Open = Callable[[Served], Page]


def serving(home: Path, **more: object) -> Served:
    """A server whose edits are only suggested, because each is longer than its limit."""
    corpora = {"bridges": CORPUS, "dam": CORPUS / "hoover-dam.md"}
    given: dict[str, Any] = {"home": home, "trace": True, "serve_corpora": corpora} | more
    return Served(InProcess(Settings(**given, max_edit_chars=0, max_edit_share=0)), **given)


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with serving(tmp_path_factory.mktemp("page-home")) as server:
        yield server


@pytest.fixture
def opened(chromium: Browser) -> Iterator[Open]:
    """Opens the page of a server in a browser of its own, in which nothing else can be reached."""
    contexts: list[BrowserContext] = []

    def open_page(server: Served) -> Page:
        context = chromium.new_context(viewport={"width": 1100, "height": 900})
        contexts.append(context)
        context.route(lambda url: not url.startswith((server.root, "blob:")), lambda route: route.abort())
        context.grant_permissions(["clipboard-read", "clipboard-write"], origin=server.root)
        page = context.new_page()
        page.set_default_timeout(20_000)
        page.goto(f"{server.root}/")
        return page

    yield open_page
    for context in contexts:
        context.close()


@pytest.fixture
def page(served: Served, opened: Open) -> Iterator[Page]:
    """The page at a desk; a message of the browser, or a request to another server, fails its test."""
    made = opened(served)
    watch = Watch(made)
    made.reload()
    made.locator("#runs > *").wait_for(state="attached")
    yield made
    own = tuple(f"{what}: {served.root}/" for what in ("request", "popup"))
    assert [seen for seen in watch.seen if not seen.startswith(own)] == []


def revised(page: Page, text: str) -> None:
    """Revises a text by the form, and waits for the result."""
    page.fill("#answer", text)
    page.click("#revise")
    page.locator("#revise:not([aria-disabled])").wait_for()
    assert page.locator("#said").inner_text().startswith("Result:")
