"""The pages of a run and of ratings in a real browser: offline, on a phone, by keyboard, over a reload."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path
from typing import Any

import pytest
from browsing import CONTRAST, Watch, offline, started
from evals.doubles import CLAIM, NO, NOT_ALL, YES, hostile_report, report, score_row, usual_report, write_rows
from playwright.sync_api import Browser, Page, ViewportSize
from traces.runs import recorded

from benchmarks.screenshots import BROWSERS, find_browser as installed
from rarr.evals.evaluation import render_html
from rarr.evals.rating import read_exports, read_items
from rarr.traces.trace_reader import Trace
from rarr.views.pages import label_page, trace_page
from views.html.test_pages import WILD, with_each_state

pytestmark = [
    pytest.mark.slow,  # a browser takes seconds to start
    pytest.mark.browser,
    pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}"),
]

DESK: ViewportSize = {"width": 1100, "height": 900}
EVALUATIONS = {"usual": usual_report(), "hostile": hostile_report(), "empty": report()}
EVALUATIONS["one row"] = report(score_row())
ROWS = [{"id": f"r{i}", **CLAIM, "question": f"When did bridge {i} open?"} for i in range(4)]


@pytest.fixture(scope="module")
def chromium() -> Iterator[Browser]:
    with started() as browser:
        yield browser


@contextmanager
def opened_page(chromium: Browser, file: Path, html: str) -> Iterator[Page]:
    """Opens a page in a window of a desk. Fails the test if the page requests any other file."""
    file.write_text(html, encoding="utf-8")
    with offline(chromium, DESK) as blank:
        watch = Watch(blank)
        blank.goto(file.as_uri())
        yield blank
        seen = [entry for entry in watch.seen if not entry.startswith("request: blob:")]
        assert set(seen) == {f"request: {file.as_uri()}"}


@pytest.fixture(scope="module")
def trace(tmp_path_factory: pytest.TempPathFactory) -> Trace:
    return recorded(tmp_path_factory.mktemp("home"))


@pytest.fixture
def page(chromium: Browser, trace: Trace, tmp_path: Path) -> Iterator[Page]:
    with opened_page(chromium, tmp_path / "trace.html", trace_page(trace)) as page:
        yield page


@pytest.mark.parametrize("scheme", ["light", "dark"])
@pytest.mark.parametrize("name", ["trace", *EVALUATIONS])
def test_page_makes_no_requests_fits_a_phone_and_is_readable(
    chromium: Browser, trace: Trace, tmp_path: Path, name: str, scheme: str
) -> None:
    html = trace_page(trace) if name == "trace" else render_html(EVALUATIONS[name])
    with opened_page(chromium, tmp_path / "page.html", html) as page:
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
def suggesting(chromium: Browser, trace: Trace, tmp_path: Path) -> Iterator[Page]:
    """The page of a run with a suggested edit; the clipboard is open to it."""
    with opened_page(chromium, tmp_path / "suggesting.html", trace_page(with_each_state(trace))) as page:
        page.context.grant_permissions(["clipboard-read", "clipboard-write"])
        yield page


def test_copied_text_follows_the_decisions(suggesting: Page) -> None:
    def copied() -> str:
        suggesting.locator("#text .copy").click()
        suggesting.locator("#text .copy:text('Copied')").wait_for()
        return str(suggesting.evaluate("navigator.clipboard.readText()"))

    accept, refuse = (suggesting.locator("#review .decision", has_text=it) for it in ("Accept", "Refuse"))
    accept.click()
    assert suggesting.locator("#text .copy").first.inner_text() == "Copy the text with 1 change"
    assert "It is 90 metres" in copied()
    refuse.click()
    assert (accept.get_attribute("aria-pressed"), "It is 30 metres wide." in copied()) == ("false", True)
    made = suggesting.locator("#edits .entry", has_text="accepted").first
    old, new = (made.locator(mark).inner_text() for mark in ("del", "ins"))
    before = copied()
    made.locator(".decision").click()
    assert (new in before, old in copied()) == (True, True)


def rating_page(folder: Path, *rows: dict[str, Any]) -> str:
    return label_page(read_items(write_rows(folder / "data.jsonl", *rows)))


@pytest.fixture
def rating(chromium: Browser, tmp_path: Path) -> Iterator[Page]:
    with opened_page(chromium, tmp_path / "page.html", rating_page(tmp_path, *ROWS)) as page:
        yield page


def press(page: Page, *keys: str) -> None:
    for key in keys:
        page.keyboard.press(key)


def download_ratings(page: Page, folder: Path, rater: str) -> Path:
    page.fill("#rater", rater)
    with page.expect_download() as download:
        page.click("#download")
    assert download.value.suggested_filename == f"ratings-{rater}.json"
    path = folder / download.value.suggested_filename
    download.value.save_as(path)
    return path


def test_ratings_by_keyboard_stay_over_a_reload_and_are_read(rating: Page, tmp_path: Path) -> None:
    place, count = (rating.locator(name) for name in ("#place", "#count"))
    press(rating, "y", "1", "y", "3")
    rating.wait_for_timeout(1000)  # on a busy machine the browser stores late what the page keeps
    rating.reload()
    assert (place.inner_text(), count.inner_text()) == ("Item 3 of 4", "2 of 4 rated")
    press(rating, "y", "2", "n")
    assert count.inner_text() == "4 of 4 rated: download the ratings"
    [export] = read_exports([download_ratings(rating, tmp_path, "Ada")])
    assert [*export.answers.values()] == [YES, NO, NOT_ALL, {"understandable": "no"}]
    rating.evaluate("() => { window.confirm = () => true; }")
    rating.click("#clear-all")
    assert count.inner_text() == "0 of 4 rated"


def test_wild_texts_are_shown_run_nothing_and_come_back(chromium: Browser, tmp_path: Path) -> None:
    evidence = [
        {"text": WILD, "title": WILD, "url": "javascript:alert(3)"},
        {"text": "E", "url": "https://a.example"},
    ]
    rows = [
        {"id": name, "claim": WILD, "question": WILD, "evidence": evidence, "original": WILD, "revised": WILD}
        for name in ("__proto__", "constructor", WILD)
    ]
    with opened_page(chromium, tmp_path / "page.html", rating_page(tmp_path, *rows)) as page:
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
        (export,) = read_exports([download_ratings(page, tmp_path, "Ada")])
    assert list(export.items) == read_items(tmp_path / "data.jsonl")
    assert [len(given) for given in export.answers.values()] == [3, 3, 3]
