"""The page in a real browser: a text is revised by the keyboard alone, and its reader decides and copies."""

import pytest
from browsing import CONTRAST
from playwright.sync_api import Page

from benchmarks.screenshots import BROWSERS, browser as installed
from serve.page.conftest import Open, revised
from serve.serving import Served

pytestmark = [
    pytest.mark.slow,  # a browser takes seconds to start
    pytest.mark.browser,
    pytest.mark.loopback,
    pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}"),
]

DAM = "The Hoover Dam is 212 metres high. It was opened in 1936."
HOSTILE = (
    "The Hoover Dam is 212 metres high. <img src=x onerror=alert(1)> </script><script>alert(2)</script> "
    "</textarea><svg onload=alert(3)> [a](javascript:alert(4)) \"onfocus='alert(5)' \u202eturned"
)
PREPARE = """() => {
  for (const details of document.querySelectorAll("details")) details.open = true;
  for (const hidden of document.querySelectorAll("[hidden]")) hidden.hidden = false;
}"""


def tab_to(page: Page, selector: str) -> None:
    """Presses Tab until the element has the focus, which is seen at every stop."""
    for _ in range(120):
        page.keyboard.press("Tab")
        assert page.evaluate("getComputedStyle(document.activeElement).outlineStyle") != "none"
        if page.evaluate("selector => document.activeElement.matches(selector)", selector):
            return
    raise AssertionError(f"Tab does not reach {selector}")


def copied(page: Page, button: str) -> str:
    page.locator("#result .copy", has_text=button).click()
    page.locator("#result .copy:text('Copied')").wait_for()
    return str(page.evaluate("navigator.clipboard.readText()"))


def test_keyboard_alone_revises_accepts_and_takes_back(page: Page) -> None:
    tab_to(page, "#answer")
    page.keyboard.type(DAM)
    tab_to(page, "#revise")
    page.keyboard.press("Enter")
    page.locator("#said", has_text="Result:").wait_for()
    assert page.evaluate("document.activeElement.id") == "answered-h"
    tab_to(page, ".decide[data-choice='accept']")
    page.keyboard.press("Enter")
    page.locator("#said", has_text="is accepted").wait_for()
    assert page.locator("#result .marked ins").inner_text().endswith("221")
    assert page.evaluate("document.activeElement.dataset.choice") == ""  # the way back is at hand
    page.keyboard.press("Enter")
    page.locator("#said", has_text="is open again").wait_for()
    assert page.locator("#result .marked ins").count() == 0


def test_control_and_enter_revise_from_within_the_text(page: Page) -> None:
    page.fill("#answer", DAM)
    page.keyboard.press("Control+Enter")
    page.locator("#result .marked").wait_for()


def test_steps_of_the_run_are_shown_and_said(page: Page) -> None:
    page.evaluate("""() => {
      window.heard = [];
      new MutationObserver(() => heard.push(document.getElementById("said").textContent))
        .observe(document.getElementById("said"), { childList: true });
    }""")
    revised(page, DAM)
    heard = page.evaluate("heard")
    assert [heard[0], heard[1]] == ["The run has begun.", "Done: generate queries"]
    assert len(heard) == len(set(heard))
    assert page.locator("#steps .done", has_text="check agreement").is_visible()
    assert page.locator("#said").get_attribute("role") == "status"


def test_words_are_marked_by_what_the_passages_say(page: Page) -> None:
    revised(page, DAM)
    part = page.locator("#result .marked .part.differs").first
    assert part.inner_text() == "212"
    card = page.locator("#card-1")
    part.hover()
    assert "726 feet" in card.inner_text()
    page.keyboard.press("Escape")
    assert not card.is_visible()


def test_sources_of_the_reader_are_searched_alone(page: Page) -> None:
    page.fill("#sources", "The Hoover Dam is 212 metres high.\n---\nIt was opened in 1936.")
    page.check("#alone")
    revised(page, DAM)
    assert page.locator("#result .legend .chip.supported").is_visible()
    assert page.locator(".cited li").all_inner_texts()
    page.locator("#result sup.cite a").first.click()
    assert page.evaluate("document.querySelector('.cited li:target') !== null")
    assert "[1]" in copied(page, "citations")


def test_chosen_corpus_is_searched(page: Page) -> None:
    page.select_option("#corpus", "dam")
    revised(page, "The Golden Gate Bridge was designed by Charles Purcell.")
    assert page.locator("#result .decide").count() == 0


def test_refused_suggestion_stays_out_of_the_text(page: Page) -> None:
    revised(page, DAM)
    page.locator(".decide", has_text="Refuse").first.click()
    page.locator("#said", has_text="is refused").wait_for()
    assert page.locator("#result .edits .chip", has_text="refused").is_visible()
    assert copied(page, "Copy the text") == DAM


def test_copy_has_what_was_accepted(page: Page) -> None:
    revised(page, DAM)
    page.locator(".decide", has_text="Accept").first.click()
    page.locator("#said", has_text="is accepted").wait_for()
    assert copied(page, "Copy the text") == DAM.replace("212", "221")
    page.click("#again")
    assert page.input_value("#answer") == DAM.replace("212", "221")


def test_quick_decisions_are_all_kept(page: Page) -> None:
    revised(page, f"{DAM} The main span of the Golden Gate Bridge measures 4,100 feet from tower to tower.")
    names = page.locator(".decide[data-choice='refuse']").evaluate_all(
        "buttons => { buttons.forEach(each => each.click()); return buttons.map(each => each.dataset.edit); }"
    )
    assert len(names) > 1
    page.locator("#said", has_text=f"{names[-1]} is refused").wait_for()
    assert page.locator("#result .edits .decide").count() == len(names)


def test_reload_keeps_the_draft_the_result_and_the_decisions(page: Page) -> None:
    page.fill("#question", "How high is it?")
    page.fill("#sources", "A source.")
    page.select_option("#corpus", "dam")
    revised(page, DAM)
    page.locator(".decide", has_text="Refuse").first.click()
    page.locator("#said", has_text="is refused").wait_for()
    page.reload()
    page.locator("#result .edits .chip", has_text="refused").wait_for()
    values = [page.input_value(f"#{name}") for name in ("answer", "question", "sources", "corpus")]
    assert values == [DAM, "How high is it?", "A source.", "dam"]


def test_hostile_text_stays_text(page: Page) -> None:
    page.fill("#sources", f"It is 221 metres high. {HOSTILE}")
    page.fill("#question", HOSTILE)
    revised(page, HOSTILE)  # a dialog, a request or an error fails the fixture
    page.reload()
    page.locator("#result .marked").wait_for()
    page.locator(".pick").first.check()
    page.locator(".pick").last.check()
    page.click("#beside")
    page.locator("#pair .marked").last.wait_for()
    assert "<img src=x onerror=alert(1)>" in page.locator("#result .marked").inner_text()
    assert page.locator("img, main script, main svg:not(.level), a[href^='javascript']").count() == 0
    assert "⟨U+202E⟩" in page.locator("#result .marked").inner_text()


def test_every_control_has_a_name(page: Page) -> None:
    revised(page, DAM)
    page.evaluate(PREPARE)
    nameless = page.locator("input, textarea, select, button").evaluate_all(
        "all => all.filter(each => !(each.labels?.length || each.ariaLabel || each.textContent.trim()))"
        ".map(each => each.outerHTML)"
    )
    assert nameless == []


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_page_fits_a_phone_and_is_readable(served: Served, opened: Open, scheme: str) -> None:
    page = opened(served)
    revised(page, f"{DAM}\n\n| {'wide ' * 30} | a | b |\n|---|---|---|\n| 1 | 2 | 3 |\n\n`{'x' * 200}`")
    revised(page, DAM + " " + "y" * 300)
    for box in (page.locator(".pick").nth(0), page.locator(".pick").nth(1)):
        box.check()
    page.click("#beside")
    page.locator("#pair .marked").last.wait_for()
    page.emulate_media(color_scheme="dark" if scheme == "dark" else "light")
    page.set_viewport_size({"width": 360, "height": 780})
    page.evaluate(PREPARE)
    page.mouse.move(0, 0)
    assert page.evaluate("document.documentElement.scrollWidth") <= 360
    ratio, where = page.evaluate(CONTRAST)
    assert ratio >= 4.5, where
