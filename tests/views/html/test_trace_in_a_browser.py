"""The page of a run in a real browser: no network, no message, and readable on a phone and by keyboard."""

import re
from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import CONTRAST, Watch, offline, started
from playwright.sync_api import Browser, Page
from traces.runs import recorded

from benchmarks.screenshots import BROWSERS, browser as installed
from rarr.views.pages import trace_page as page_of
from views.html.test_trace import reviewed

pytestmark = [
    pytest.mark.slow,  # a browser takes seconds to start
    pytest.mark.browser,
    pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}"),
]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture(scope="module")
def file(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("home")
    made = folder / "trace.html"
    made.write_text(page_of(recorded(folder)), encoding="utf-8")
    return made


@pytest.fixture
def page(chromium: Browser, file: Path) -> Iterator[Page]:
    """The page at a desk; what it does that it should not fails its test."""
    with offline(chromium, {"width": 1100, "height": 900}) as blank:
        watch = Watch(blank)
        blank.goto(file.as_uri())
        yield blank
        assert watch.seen == [f"request: {file.as_uri()}"]


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_makes_no_requests_fits_a_phone_and_is_readable(page: Page, scheme: str) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 360, "height": 780})
    page.evaluate("for (const details of document.querySelectorAll('details')) details.open = true")
    page.mouse.move(100, 100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    ratio, where = page.evaluate(CONTRAST)
    assert ratio >= 4.5, where


def test_attribution_shows_on_hover_and_on_focus(page: Page) -> None:
    sentence, card = page.locator("#sentence-1"), page.locator("#card-1")
    assert not card.is_visible()
    sentence.hover(position={"x": 5, "y": 5})
    assert card.is_visible()
    assert "The bridge opened in 1937." in card.inner_text()
    page.keyboard.press("Escape")
    assert not card.is_visible()
    page.mouse.move(0, 0)
    sentence.focus()
    assert card.is_visible()
    page.keyboard.press("Escape")
    assert not card.is_visible()


@pytest.fixture
def suggesting(chromium: Browser, file: Path) -> Iterator[Page]:
    """The page of a run with a suggested edit; the clipboard is open to it."""
    other = file.with_name("suggesting.html")
    other.write_text(page_of(reviewed(recorded(file.parent / "other"))), encoding="utf-8")
    with offline(chromium, {"width": 1100, "height": 900}) as blank:
        blank.context.grant_permissions(["clipboard-read", "clipboard-write"])
        blank.goto(other.as_uri())
        yield blank


def test_accepted_suggestions_are_in_the_copied_text_and_refused_ones_are_not(suggesting: Page) -> None:
    def copied(button: str = "#text .copy") -> str:
        suggesting.locator(button).click()
        suggesting.locator(f"{button}:text('Copied')").wait_for()
        return str(suggesting.evaluate("navigator.clipboard.readText()"))

    assert not suggesting.locator(".keep").is_visible()
    accept, refuse = (suggesting.locator(".decision", has_text=word) for word in ("Accept", "Refuse"))
    accept.click()
    assert "It is 90 metres" in copied()
    refuse.click()
    assert (accept.get_attribute("aria-pressed"), "It is 30 metres wide." in copied()) == ("false", True)
    run = suggesting.locator(".keep").get_attribute("data-run")
    assert re.fullmatch(rf"rarr trace decide {run} --refuse e\d+", copied(".keep"))
