"""Photographs the page of `rarr serve`, which runs in a process of its own; see `benchmarks.screenshots`."""

import os
import subprocess
import sys
import time
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

from playwright.sync_api import Browser, Page, ViewportSize

CORPUS, TEXT = Path("examples/corpus"), Path("examples/texts/demo.md")
OTHER = "The Hoover Dam is 212 metres high, and stands on the Colorado River."
DESK: ViewportSize = {"width": 1200, "height": 1260}
PAIR: ViewportSize = {"width": 1200, "height": 760}
PHONE: ViewportSize = {"width": 390, "height": 844}
_PAGE = "the page is at "


@contextmanager
def _served(home: Path) -> Iterator[str]:
    """Serves the examples; every edit is only suggested, so that there is something to decide about."""
    command = [sys.executable, "-m", "rarr", "serve", "--port", "0", "--corpus", f"examples={CORPUS}"]
    environment = {**os.environ, "RARR_HOME": str(home), "RARR_ACCEPT_CONFIDENCE": "0.95"}
    log = home / "serve.log"
    with log.open("w") as file, subprocess.Popen(command, stderr=file, text=True, env=environment) as running:
        try:
            while _PAGE not in log.read_text():
                assert running.poll() is None, log.read_text()
                time.sleep(0.1)
            yield log.read_text().partition(_PAGE)[2].split()[0]
        finally:
            running.terminate()


def _revise(page: Page, text: str) -> None:
    page.fill("#answer", text)
    page.keyboard.press("Control+Enter")
    page.locator("#revise[aria-disabled]").wait_for()
    page.locator("#revise:not([aria-disabled])").wait_for()


def photograph_served_page(chromium: Browser, home: Path, folder: Path) -> None:
    """Photographs a result with an edit that its reader accepted, two runs in the dark, and a phone."""
    home.mkdir()
    with _served(home) as address:
        page = chromium.new_page(viewport=DESK)
        page.set_default_timeout(120_000)
        page.goto(address)
        _revise(page, OTHER)
        _revise(page, TEXT.read_text(encoding="utf-8"))
        page.locator(".decide[data-choice='accept']").first.click()
        page.locator("#said", has_text="is accepted").wait_for()
        page.evaluate("document.activeElement.blur(); answer.scrollTop = 0; scroll(0, 0)")
        page.screenshot(path=folder / "serve-page.png")
        page.emulate_media(color_scheme="dark")
        page.set_viewport_size(PAIR)
        for box in page.locator(".pick").all():
            box.check()
        page.click("#beside")
        page.locator("#pair .marked").nth(1).wait_for()
        page.locator("#filters").evaluate("filters => filters.scrollIntoView()")
        page.screenshot(path=folder / "serve-page-runs.png")
        page.mouse.move(0, 0)
        page.set_viewport_size(PHONE)
        page.locator("#answered").evaluate("result => result.scrollIntoView()")
        page.screenshot(path=folder / "serve-page-phone.png")
        page.close()
