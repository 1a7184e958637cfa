"""The runs on the page in a real browser: filters, an earlier result, the trace, and two side by side."""

from collections.abc import Iterator
from pathlib import Path

import pytest
from playwright.sync_api import Page

from benchmarks.screenshots import BROWSERS, browser as installed
from rarr import Reviser, Settings
from rarr.testing import scripted_components
from serve.page.conftest import CORPUS, Open, revised, serving
from serve.serving import ALICE, BOB, Served

pytestmark = [
    pytest.mark.slow,  # a browser takes seconds to start
    pytest.mark.browser,
    pytest.mark.loopback,
    pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}"),
]

DAM, BRIDGE = "The Hoover Dam is 212 metres high.", "The Golden Gate Bridge was designed by Charles Purcell."


@pytest.fixture(scope="module")
def served(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    """A server with a changed run, an unchanged run, and a run that was cut short."""
    home = tmp_path_factory.mktemp("runs-home")
    with serving(home) as server:
        with Reviser(Settings(home=home, corpus=CORPUS)) as reviser:
            reviser.revise(DAM, run_id="local-changed")
        with Reviser(components=scripted_components(settings=Settings(home=home))) as reviser:
            reviser.revise(BRIDGE, run_id="local-unchanged")
            reviser.revise("Of another caller.", run_id="other-1")
        yield server


def listed(page: Page, count: str) -> list[str]:
    page.locator("#count", has_text=count).wait_for()
    return [text.strip() for text in page.locator("#runs .open").all_inner_texts()]


def test_runs_are_filtered_by_text_and_change(page: Page) -> None:
    assert listed(page, "2 in all") == [BRIDGE, DAM]
    page.fill("#find", "hoover dam")
    page.keyboard.press("Enter")
    assert listed(page, "1 in all") == [DAM]
    page.fill("#find", "")
    page.select_option("#changed", "false")
    page.locator("#runs .open", has_text=DAM).wait_for(state="detached")
    assert listed(page, "1 in all") == [BRIDGE]
    page.select_option("#status", "failed")
    page.get_by_text("No run of yours fits.").wait_for()


def test_run_is_opened_again(page: Page) -> None:
    page.locator("#runs .open", has_text=DAM).click()
    page.locator("#result .marked ins").first.wait_for()
    assert "221" in page.locator("#result .marked ins").first.inner_text()
    assert page.evaluate("document.activeElement.id") == "answered-h"


def test_two_runs_stand_side_by_side(page: Page) -> None:
    assert page.locator("#beside").is_disabled()
    for box in page.locator(".pick").all():
        box.focus()
        page.keyboard.press("Space")
    page.locator("#beside").focus()
    page.keyboard.press("Enter")
    page.locator("#pair .marked").nth(1).wait_for()
    left, right = (pane.bounding_box() for pane in page.locator("#pair > .result").all())
    assert left and right and left["y"] == right["y"] and left["x"] + left["width"] <= right["x"]
    assert page.evaluate("document.activeElement.id") == "pair-h"
    names = page.locator("[id]").evaluate_all("all => all.map(each => each.id)")
    assert len(names) == len(set(names))
    page.locator("#pair .copy").nth(1).click()
    page.locator("#pair .copy:text('Copied')").wait_for()
    assert page.evaluate("navigator.clipboard.readText()") == DAM.replace("212", "221")


def test_third_choice_takes_the_place_of_the_first(page: Page) -> None:
    revised(page, "A third run.")
    boxes = page.locator(".pick")
    for number in (0, 1, 2):
        boxes.nth(number).check()
    assert boxes.evaluate_all("all => all.map(each => each.checked)") == [False, True, True]


def test_trace_of_a_run_opens(page: Page) -> None:
    page.locator("#runs .open", has_text=DAM).click()
    page.locator("#result a.trace").wait_for()
    with page.context.expect_page() as opening:
        page.locator("#result a.trace").click()
    trace = opening.value
    trace.locator("#timeline .entry").first.wait_for()
    assert trace.url == f"{page.url}v1/runs/local-changed/trace"
    assert trace.locator("#find").is_visible()  # its script runs under the policy of its header


def test_trace_opens_for_a_caller_with_a_token(tmp_path: Path, opened: Open) -> None:
    with serving(tmp_path, serve_token=f"{ALICE},{BOB}") as server:
        page = opened(server)
        page.fill("#token", ALICE)
        page.keyboard.press("Enter")
        page.locator("#count", has_text="0 in all").wait_for()
        revised(page, DAM)
        seen: list[str] = []
        page.context.on("console", lambda message: seen.append(message.text))
        with page.context.expect_page() as opening:
            page.locator("#result a.trace").click()
        trace = opening.value
        trace.locator("#timeline .entry").first.wait_for()
        assert trace.locator("#find").is_visible()
        assert trace.evaluate("getComputedStyle(document.querySelector('.bar')).position") == "sticky"
        assert seen == []
        page.evaluate("() => { window.open = () => null; }")
        page.locator("#result a.trace").click()
        page.locator("#failure", has_text="opens no tab").wait_for()
        page.evaluate("sessionStorage.clear()")
        page.reload()
        page.fill("#token", BOB)
        page.keyboard.press("Enter")
        page.locator("#count", has_text="0 in all").wait_for()


def test_server_without_traces_says_so(tmp_path: Path, opened: Open) -> None:
    with serving(tmp_path, trace=False) as server:
        page = opened(server)
        page.get_by_text("This server keeps no traces").wait_for()
        revised(page, DAM)
        assert page.locator("#result .decide").count() == 2
        assert page.locator("a.trace").count() == 0
