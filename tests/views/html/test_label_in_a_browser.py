"""The page on which people rate, in a real browser: by keyboard, on a phone, over a reload, offline."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browsing import Watch, offline, started
from evals.doubles import write_rows
from evals.makers import CLAIM
from playwright.sync_api import Browser, Page, ViewportSize

from benchmarks.screenshots import BROWSERS, browser as installed
from rarr.evals.rating import labelled_rows, merged, read_exports, read_items
from rarr.views.pages import label_page
from views.html.test_label import WILD

pytestmark = [
    pytest.mark.slow,  # a browser takes seconds to start
    pytest.mark.browser,
    pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}"),
]

DESK: ViewportSize = {"width": 1100, "height": 900}
ROWS = [{"id": f"r{i}", **CLAIM, "question": f"When did bridge {i} open?"} for i in range(20)]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@contextmanager
def rating(chromium: Browser, folder: Path, *rows: dict[str, Any]) -> Iterator[Page]:
    """The page of these rows at a desk; what it does that it should not fails the test."""
    file = folder / "page.html"
    file.write_text(label_page(read_items(write_rows(folder / "data.jsonl", *rows))), encoding="utf-8")
    with offline(chromium, DESK) as blank:
        watch = Watch(blank)
        blank.goto(file.as_uri())
        yield blank
        requests = {entry for entry in watch.seen if not entry.startswith("request: blob:")}
        assert requests == {f"request: {file.as_uri()}"}


@pytest.fixture
def page(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    with rating(chromium, tmp_path, *ROWS) as opened:
        yield opened


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def place(page: Page) -> str:
    return page.locator("#place").inner_text()


def downloaded(page: Page, folder: Path, rater: str) -> Path:
    page.fill("#rater", rater)
    with page.expect_download() as download:
        page.click("#download")
    assert download.value.suggested_filename == f"ratings-{rater}.json"
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_twenty_items_by_keyboard_stay_over_a_reload_and_merge(page: Page, tmp_path: Path) -> None:
    for i in range(12):
        press(page, "y", "1" if i % 3 else "3")
    assert page.locator("#count").inner_text() == "12 of 20 rated"
    page.wait_for_timeout(1000)  # on a busy machine the browser stores late what the page keeps
    page.reload()
    assert (place(page), page.locator("#count").inner_text()) == ("Item 13 of 20", "12 of 20 rated")
    for _ in range(12, 19):
        press(page, "y", "2")
    press(page, "n")
    assert page.locator("#count").inner_text() == "20 of 20 rated: download the ratings"
    ada = downloaded(page, tmp_path, "Ada")

    page.evaluate("() => { window.confirm = () => true; }")
    page.click("#clear-all")
    assert page.locator("#count").inner_text() == "0 of 20 rated"
    for _ in range(20):
        press(page, "y", "1")
    exports = read_exports([ada, downloaded(page, tmp_path, "Ben")])

    ratings = merged(exports)
    assert ratings.rated == {"Ada": 20, "Ben": 20}
    assert ratings.agreement["attribution"]["percent"].value == pytest.approx(8 / 19)
    assert ratings.labels == {"attributable": 8, "extrapolatory": 0, "contradictory": 0, "null": 12}
    assert next(labelled_rows(exports))["votes"] == {"contradictory": 1, "attributable": 1}


def test_wild_texts_are_shown_run_nothing_and_come_back(chromium: Browser, tmp_path: Path) -> None:
    evidence = [
        {"text": WILD, "title": WILD, "url": "javascript:alert(3)"},
        {"text": "E", "url": "https://a.example"},
    ]
    rows = [
        {"id": name, "claim": WILD, "question": WILD, "evidence": evidence, "original": WILD, "revised": WILD}
        for name in ("__proto__", "constructor", WILD)
    ]
    with rating(chromium, tmp_path, *rows) as page:
        press(page, "y", "1")
        shown = page.locator(".claim").inner_text()
        assert "</script><script>alert(1)</script>" in shown
        assert "⟨U+202E⟩ ⟨U+200B⟩" in shown
        press(page, "s")
        for _ in rows[1:]:
            press(page, "y", "1", "s")
        assert page.locator("#count").inner_text().startswith("3 of 3 rated")
        assert page.locator("#evidence a").evaluate_all("all => all.map(a => [a.href, a.rel])") == [
            ["https://a.example/", "noopener noreferrer"]
        ]
        (export,) = read_exports([downloaded(page, tmp_path, "Ada")])
    assert list(export.items) == read_items(tmp_path / "data.jsonl")
    assert merged([export]).rated == {"Ada": 3}
