"""Tests the page in a real browser: no network, no script, no message; usable on a phone and by keyboard."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from browsing import CONTRAST, Watch, offline, started
from playwright.sync_api import Browser, Page

from benchmarks.screenshots import BROWSERS, browser as installed
from evals.doubles import hostile, report, scored, usual
from rarr.evals.evaluation import EvalReport, render_html

pytestmark = [
    pytest.mark.slow,  # a browser takes seconds to start
    pytest.mark.browser,
    pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}"),
]
PAGES = {"usual": usual(), "hostile": hostile(), "empty": report(), "one row": report(scored())}


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@pytest.fixture
def page(chromium: Browser) -> Iterator[Page]:
    with offline(chromium) as blank:
        yield blank


def opened(page: Page, made: EvalReport, folder: Path) -> Watch:
    file, watch = folder / "report.html", Watch(page)
    file.write_text(render_html(made), encoding="utf-8")
    page.goto(file.as_uri())
    assert watch.seen.pop(0) == f"request: {file.as_uri()}"
    return watch


@pytest.mark.parametrize("name", PAGES)
@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_is_quiet_narrow_and_readable(name: str, scheme: str, page: Page, tmp_path: Path) -> None:
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    watch = opened(page, PAGES[name], tmp_path)
    page.evaluate("for (const one of document.querySelectorAll('details')) one.open = true")
    page.mouse.move(100, 100)
    assert page.evaluate("document.documentElement.scrollWidth") <= 390
    ratio, where = page.evaluate(CONTRAST)
    assert ratio >= 4.5, where
    assert watch.seen == []


def test_page_needs_no_script(chromium: Browser, tmp_path: Path) -> None:
    context = chromium.new_context(java_script_enabled=False)
    page = context.new_page()
    opened(page, usual(), tmp_path)
    case = page.locator("#cases details").nth(1)
    assert not case.locator(".text").first.is_visible()
    case.locator("summary").click()
    assert case.locator(".text").first.is_visible()
    context.close()
