"""The page of the server, in a real browser: a text is revised, and whatever fails is told."""

from collections.abc import Iterator
from pathlib import Path

import httpx2
import pytest
from browsing import CONTRAST, PHONE, Watch, started
from parsing import Page as Html
from playwright.sync_api import Page
from views.html.test_pages import WILD

from benchmarks.screenshots import BROWSERS, find_browser as installed
from rarr import Settings
from rarr.batches.jobs import InProcessRunner
from serve.serving import ALICE, BOB, Served

pytestmark = pytest.mark.loopback
in_a_browser = pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}")
PASSAGE, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."


@pytest.fixture
def server(tmp_path: Path) -> Iterator[Served]:
    """A server with a token, whose embedded reader reads the passages of its callers."""
    with Served(InProcessRunner(Settings(home=tmp_path, trace=False)), serve_token=ALICE) as served:
        yield served


def test_result_escapes_what_a_caller_sends(server: Served) -> None:
    passage = {"text": f"{WILD}\n\n{PASSAGE}", "title": WILD, "source": "javascript:alert(3)"}
    asked = {"text": f"{WILD}\n\n{WRONG}", "sources": [passage]}
    headers = {"Accept": "text/html", "Authorization": f"Bearer {ALICE}"}
    shown = Html(httpx2.post(f"{server.url}/revise", json=asked, headers=headers, timeout=60).text)
    assert not {"script", "img", "style"} & {tag for tag, _ in shown.tags}
    assert not [it for _, it in shown.tags if str(it.get("href")).startswith("javascript")]
    assert "221" in shown.text and shown.text.count("<script>alert(1)</script>") > 2


def test_page_shows_nothing_and_needs_no_token(server: Served) -> None:
    page = httpx2.get(server.root)
    assert (page.status_code, "Token of this server" in page.text) == (200, True)
    assert page.headers["content-security-policy"] == "frame-ancestors 'none'"


@pytest.fixture
def page(server: Served) -> Iterator[Page]:
    with started() as browser:
        seen = Watch(blank := browser.new_page(permissions=["clipboard-read", "clipboard-write"])).seen
        blank.goto(server.root)
        yield blank
    asked = {f"request: {server.root}/", f"request: {server.url}/revise"}
    assert {it for it in seen if "Failed to load resource" not in it} <= asked


def send_form(page: Page, token: str, text: str, passages: str) -> None:
    for field, words in {"token": token, "answer": text, "sources": passages}.items():
        page.fill(f"#{field}", words)
    page.keyboard.press("Control+Enter")


@in_a_browser
@pytest.mark.browser
@pytest.mark.slow  # a browser takes seconds to start
def test_text_is_revised_and_copied_on_a_phone(page: Page) -> None:
    page.set_viewport_size(PHONE)
    send_form(page, ALICE, WRONG, f"Nothing.\n---\n{PASSAGE}")
    page.locator("#text").wait_for()
    assert page.locator("#sentence-1 ins").inner_text() == "221"
    page.locator("#review summary").click()
    page.locator("#review .quote a").first.click()
    assert PASSAGE in page.locator(".evidence:target").inner_text()
    page.locator("#text .copy").click()
    page.locator("#text .copy:text('Copied')").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == PASSAGE
    page.locator("#edits .decision").click()
    assert "1 change" in page.locator("#text .copy").inner_text()
    page.emulate_media(color_scheme="dark")
    assert page.evaluate("document.documentElement.scrollWidth") <= PHONE["width"]
    ratio, where = page.evaluate(CONTRAST)
    assert ratio >= 4.5, where


@in_a_browser
@pytest.mark.browser
@pytest.mark.slow  # a browser takes seconds to start
def test_failures_are_told_in_a_line(page: Page, server: Served) -> None:
    unknown = "does not know the token"
    for token, text, told in ((BOB, "Dam.", unknown), ("ö", "Dam.", unknown), (ALICE, " ", "give a text")):
        send_form(page, token, text, "")
        page.locator("#failure", has_text=told).wait_for()
    server.stop()
    server.join()
    page.click(".main")
    page.locator("#failure", has_text="The server does not answer").wait_for()
