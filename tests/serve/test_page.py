"""The page of the server, in a real browser: a text is revised, and whatever fails is told."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from browsing import CONTRAST, PHONE, Watch, started
from parsing import Page as Html
from playwright.sync_api import Browser, Page
from views.html.test_pages import WILD

from benchmarks.screenshots import BROWSERS, browser as installed
from rarr import Settings
from rarr.batches.jobs import InProcessRunner
from serve.serving import ALICE, BOB, Served

pytestmark = pytest.mark.loopback
in_a_browser = pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}")
PASSAGE = "The Hoover Dam is 221 metres high."


def test_result_escapes_what_a_caller_sends(tmp_path: Path) -> None:
    passage = {"text": f"{WILD}\n\n{PASSAGE}", "title": WILD, "source": "javascript:alert(3)"}
    asked = {"text": f"{WILD}\n\nThe Hoover Dam is 212 metres high.", "sources": [passage]}
    with Served(InProcessRunner(Settings(home=tmp_path, trace=False))) as server:
        answer = httpx2.post(f"{server.url}/revise", json=asked, headers={"Accept": "text/html"}, timeout=60)
    shown = Html(answer.text)
    assert not {"script", "img", "style"} & {tag for tag, _ in shown.tags}
    assert not [it for _, it in shown.tags if str(it.get("href")).startswith("javascript")]
    assert "221" in shown.text and shown.text.count("<script>alert(1)</script>") > 2


def test_page_shows_nothing_and_needs_no_token() -> None:
    with Served(serve_token=ALICE) as server:
        page = httpx2.get(server.root)
        assert (page.status_code, "Token of this server" in page.text) == (200, True)
        assert page.headers["content-security-policy"] == "frame-ancestors 'none'"


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[tuple[Page, Served]]:
    """The page of a server with a token, whose embedded reader reads the passages of its callers."""
    context = chromium.new_context(permissions=["clipboard-read", "clipboard-write"])
    blank = context.new_page()
    seen = Watch(blank).seen
    with Served(InProcessRunner(Settings(home=tmp_path, trace=False)), serve_token=ALICE) as server:
        blank.goto(server.root)
        yield blank, server
    asked = {f"request: {server.root}/", f"request: {server.url}/revise"}
    assert {it for it in seen if "Failed to load resource" not in it} <= asked
    context.close()


def revise(page: Page, token: str, text: str, passages: str) -> None:
    for field, words in {"token": token, "answer": text, "sources": passages}.items():
        page.fill(f"#{field}", words)
    page.keyboard.press("Control+Enter")


@in_a_browser
@pytest.mark.browser
@pytest.mark.slow  # a browser takes seconds to start
def test_text_is_revised_and_copied_on_a_phone(page: tuple[Page, Served]) -> None:
    shown, _ = page
    shown.set_viewport_size(PHONE)
    revise(shown, ALICE, "The Hoover Dam is 212 metres high.", f"Nothing.\n---\n{PASSAGE}")
    shown.locator("#text").wait_for()
    assert shown.locator("#sentence-1 ins").inner_text() == "221"
    shown.locator("#review summary").click()
    shown.locator("#review .quote a").first.click()
    assert PASSAGE in shown.locator(".evidence:target").inner_text()
    shown.locator("#text .copy").click()
    shown.locator("#text .copy:text('Copied')").wait_for()
    assert shown.evaluate("navigator.clipboard.readText()") == PASSAGE
    shown.locator("#edits .decision").click()
    assert "1 change" in shown.locator("#text .copy").inner_text()
    shown.emulate_media(color_scheme="dark")
    assert shown.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    ratio, where = shown.evaluate(CONTRAST)
    assert ratio >= 4.5, where


@in_a_browser
@pytest.mark.browser
@pytest.mark.slow  # a browser takes seconds to start
def test_failures_are_told_in_a_line(page: tuple[Page, Served]) -> None:
    shown, server = page
    unknown = "does not know the token"
    for token, text, told in ((BOB, "Dam.", unknown), ("ö", "Dam.", unknown), (ALICE, " ", "give a text")):
        revise(shown, token, text, "")
        shown.locator("#failure", has_text=told).wait_for()
    server.stop()
    server.join()
    shown.click(".main")
    shown.locator("#failure", has_text="The server does not answer").wait_for()
