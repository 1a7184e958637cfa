"""What fails is one line on the page in a real browser, and nothing typed is lost."""

from collections.abc import Iterator

import pytest
from playwright.sync_api import Page

from benchmarks.screenshots import BROWSERS, browser as installed
from serve.page.conftest import Open
from serve.serving import ALICE, Served

pytestmark = [
    pytest.mark.slow,  # a browser takes seconds to start
    pytest.mark.browser,
    pytest.mark.loopback,
    pytest.mark.skipif(not installed(), reason=f"needs one of {', '.join(BROWSERS)}"),
]

TYPED = "Typed by hand, and not to be lost."


@pytest.fixture(scope="module")
def guarded(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Served]:
    with Served(home=tmp_path_factory.mktemp("failing"), serve_token=ALICE, trace=True) as server:
        yield server


def line(page: Page, words: str) -> str:
    """The failure line, once it has these words."""
    page.locator("#failure", has_text=words).wait_for()
    return page.locator("#failure").inner_text()


def submit(page: Page, text: str = TYPED) -> None:
    page.fill("#answer", text)
    page.click("#revise")


def test_token_is_asked_for_once_and_kept_in_the_tab(guarded: Served, opened: Open) -> None:
    page = opened(guarded)
    assert line(page, "needs a token") == "This server needs a token: enter yours."
    assert page.evaluate("document.activeElement.id") == "token"
    page.keyboard.type(ALICE)
    page.keyboard.press("Enter")
    page.locator("#count", has_text="0 in all").wait_for()
    page.reload()
    page.locator("#count", has_text="0 in all").wait_for()
    assert not page.locator("#login").is_visible()
    assert page.evaluate("[Object.values(sessionStorage).join().includes('alice'), localStorage.length]") == [
        True,
        0,
    ]
    assert page.context.cookies() == []


def test_wrong_token_is_one_line_and_loses_nothing(guarded: Served, opened: Open) -> None:
    page = opened(guarded)
    page.fill("#answer", TYPED)
    page.fill("#token", "wrong, and é")
    page.keyboard.press("Enter")
    assert line(page, "does not know") == "This server does not know the token: enter another."
    page.reload()
    assert page.input_value("#answer") == TYPED


def test_token_that_ends_while_typing_is_asked_for_again(guarded: Served, opened: Open) -> None:
    page = opened(guarded)
    line(page, "needs a token")
    page.evaluate("sessionStorage.setItem('rarr:token', JSON.stringify('an-old-token-of-yesterday'))")
    submit(page)
    line(page, "does not know the token")
    page.fill("#token", ALICE)
    page.keyboard.press("Enter")
    page.locator("#count", has_text="0 in all").wait_for()
    assert page.input_value("#answer") == TYPED
    page.click("#revise")
    page.locator("#said", has_text="Result:").wait_for()


def test_a_refused_run_leaves_no_result_of_the_text_before(opened: Open) -> None:
    with Served() as server:
        page = opened(server)
        submit(page, "The dam is high.")
        page.locator("#said", has_text="Result:").wait_for()
        page.check("#alone")
        submit(page, "The dam is low.")
        line(page, "search is given without sources: give sources")
        page.locator("#result", has_text="The last run gave no result.").wait_for()
        page.reload()
        page.locator("#result", has_text="Nothing was revised yet.").wait_for()


def test_emptying_the_form_empties_the_result_and_the_failure_too(opened: Open) -> None:
    with Served() as server:
        page = opened(server)
        submit(page, "The dam is high.")
        page.locator("#said", has_text="Result:").wait_for()
        page.click("#empty")
        page.locator("#result", has_text="Nothing was revised yet.").wait_for()
        submit(page, "refuse")
        line(page, "the text is refused")
        page.click("#empty")
        assert (page.locator("#failure").inner_text(), page.input_value("#answer")) == ("", "")


def test_too_many_requests_say_when_to_come_again(opened: Open) -> None:
    with Served(serve_rate=2, trace=False) as server:
        page = opened(server)
        page.get_by_text("keeps no traces").wait_for()
        submit(page)
        assert "again in" in line(page, "more than 2 requests in a minute")
        page.reload()
        assert page.input_value("#answer") == TYPED


def test_deadline_is_one_line_over_the_original(opened: Open) -> None:
    with Served(serve_deadline_s=0.3, trace=False) as server:
        page = opened(server)
        submit(page, f"wait: {TYPED}")
        assert "the deadline of 0.3 s came first" in line(page, "The text came back as it was")
        assert page.locator("#result .marked").inner_text() == f"wait: {TYPED}"


def test_refused_text_is_one_line(opened: Open) -> None:
    with Served(trace=False) as server:
        page = opened(server)
        submit(page, "refuse this")
        assert line(page, "refused") == "the text is refused: give another"
        assert page.input_value("#answer") == "refuse this"


def test_browser_that_keeps_nothing_is_one_line(opened: Open) -> None:
    with Served(trace=False) as server:
        page = opened(server)
        page.get_by_text("keeps no traces").wait_for()
        page.evaluate("() => { Storage.prototype.setItem = () => { throw new DOMException('full'); }; }")
        page.fill("#answer", TYPED)
        assert "a reload would lose" in line(page, "The browser keeps no more for this tab")
        page.click("#revise")
        page.locator("#result .marked").wait_for()


def test_run_is_stopped_on_the_server_too(opened: Open) -> None:
    with Served(trace=False, serve_deadline_s=60) as server:
        page = opened(server)
        submit(page, "wait")
        page.click("#stop")
        page.locator("#said", has_text="The run was stopped.").wait_for()
        assert server.known.cancelled.wait(5)
        assert page.locator("#failure").inner_text() == ""


def test_server_that_stops_is_one_line_and_loses_nothing(opened: Open) -> None:
    with Served(trace=False, serve_deadline_s=60) as server:
        page = opened(server)
        page.get_by_text("keeps no traces").wait_for()
        submit(page, "wait")
        page.locator("#steps").wait_for()
        assert server.known.started.wait(5)
        server.stop()
    line(page, "does not answer")  # the original came, and nobody is there to draw it
    page.fill("#answer", TYPED)
    page.click("#revise")
    assert line(page, "does not answer") == "The server does not answer: see whether it runs, and try again."
    assert page.input_value("#answer") == TYPED
    assert page.locator("#revise").get_attribute("aria-disabled") is None
