"""What tests of pages share: a browser without network, and what a page does that it should not."""

from collections.abc import Iterator
from contextlib import contextmanager

from playwright.sync_api import Browser, Dialog, Page, ViewportSize, sync_playwright

from benchmarks.screenshots import find_browser as installed

PHONE: ViewportSize = {"width": 390, "height": 844}

# Contrast as WCAG 2.2 has it, of every element that has a text of its own, against what is behind it.
CONTRAST = """() => {
  const parse = colour => colour.match(/[\\d.]+/g).map(Number);
  const light = colour => parse(colour).slice(0, 3).map(c => c / 255)
    .map(c => c <= 0.04045 ? c / 12.92 : ((c + 0.055) / 1.055) ** 2.4)
    .reduce((sum, c, i) => sum + c * [0.2126, 0.7152, 0.0722][i], 0);
  const behind = e => {
    for (; e; e = e.parentElement) {
      const colour = getComputedStyle(e).backgroundColor;
      if (parse(colour)[3] !== 0) return colour;
    }
    return "rgb(255, 255, 255)";
  };
  const own = e => [...e.childNodes].some(n => n.nodeType === 3 && n.data.trim());
  const ratios = [];
  for (const e of document.body.querySelectorAll("*")) {
    if (!own(e) || ["title", "desc"].includes(e.tagName)) continue;
    const style = getComputedStyle(e), svg = e instanceof SVGElement;
    const back = e.matches(".on") ? getComputedStyle(e.previousElementSibling).fill : behind(e);
    const [a, b] = [light(svg ? style.fill : style.color), light(back)].sort((x, y) => y - x);
    ratios.push([(a + 0.05) / (b + 0.05), e.tagName + "." + (e.getAttribute("class") ?? "")]);
  }
  return ratios.sort((x, y) => x[0] - y[0])[0];
}"""


@contextmanager
def started() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=installed())
        yield browser
        browser.close()


@contextmanager
def offline(browser: Browser, viewport: ViewportSize) -> Iterator[Page]:
    """A page that reaches files alone."""
    context = browser.new_context(viewport=viewport)
    context.set_offline(True)
    context.route(lambda url: not url.startswith("file:"), lambda route: route.abort())
    yield context.new_page()
    context.close()


class Watch:
    """All that a page does which it should not."""

    def __init__(self, page: Page) -> None:
        self.seen: list[str] = []
        page.on("console", lambda message: self.seen.append(f"console: {message.text}"))
        page.on("pageerror", lambda error: self.seen.append(f"error: {error}"))
        page.on("request", lambda request: self.seen.append(f"request: {request.url}"))
        page.on("popup", lambda popup: self.seen.append(f"popup: {popup.url}"))
        page.on("dialog", self._dismiss)

    def _dismiss(self, dialog: Dialog) -> None:
        self.seen.append(f"dialog: {dialog.message}")
        dialog.dismiss()
