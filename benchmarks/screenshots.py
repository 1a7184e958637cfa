"""Pictures of the pages for the documentation: python -m benchmarks.screenshots [docs/images]

Evaluates the defaults on examples/eval.jsonl and photographs the page in the Chromium of this machine.
Records a run on examples/texts/demo.md, with the rules as a language model, and photographs its page, and the
page on which people rate examples/ratings. Run it from the root of the repository.
"""

import shutil
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright

from rarr import Reviser, Settings
from rarr.evals import evaluate
from rarr.evals.rating import read_items
from rarr.testing import RuleModel, ScriptedModel
from rarr.tools.models.chat import CallFailure
from rarr.traces.trace_reader import Trace
from rarr.views.pages import label_page, trace_page as page_of

DATA = Path("examples/eval.jsonl")
ITEMS = Path("examples/ratings/items.jsonl")
CORPUS, TEXT = Path("examples/corpus"), Path("examples/texts/demo.md")
BROWSERS = ("chromium", "chromium-browser", "google-chrome")
DESK: ViewportSize = {"width": 1000, "height": 1440}
PHONE: ViewportSize = {"width": 390, "height": 844}
WIDE: ViewportSize = {"width": 1280, "height": 1000}
RATING: ViewportSize = {"width": 900, "height": 1060}


def browser() -> str | None:
    """The path of the Chromium that this machine has."""
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def _recorded(home: Path) -> Path:
    """Writes the page of a run whose model is slow, and once too busy to answer."""
    failures = [None] * 20 + [CallFailure("busy", "the model is too busy (429)")]
    model = ScriptedModel(RuleModel(), name="vllm:rules", latency=0.2, failures=failures)
    settings = Settings(home=home, corpus=CORPUS, model=model)
    with Reviser(settings) as reviser:
        revision = reviser.revise(TEXT.read_text(encoding="utf-8"))
    file = home / "trace.html"
    file.write_text(page_of(Trace.load(revision.run_id, home)), encoding="utf-8")
    return file


def _photograph_trace(page: Page, folder: Path) -> None:
    page.set_viewport_size(WIDE)
    page.emulate_media(color_scheme="light")
    page.screenshot(path=folder / "trace-light.png")
    page.emulate_media(color_scheme="dark")
    step = page.locator(".timeline > .step[data-node='check_agreement']").first
    for row in (step, step.locator(".ask").first):
        row.locator("> summary").click()
    page.locator("#timeline").evaluate("timeline => timeline.scrollIntoView()")
    page.screenshot(path=folder / "trace-dark.png")
    page.emulate_media(color_scheme="light")
    page.set_viewport_size(PHONE)
    page.evaluate("scroll(0, 0)")
    page.screenshot(path=folder / "trace-phone.png")


def _photograph_rating(page: Page, folder: Path) -> None:
    """Photographs an item with a revision, after the items before it were rated."""
    page.set_viewport_size(RATING)
    page.emulate_media(color_scheme="light")
    for key in [*("y1" * 7), *"y1s", "ArrowLeft"]:
        page.keyboard.press(key)
    page.screenshot(path=folder / "label.png")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    page.screenshot(path=folder / "label-phone.png")


def main() -> None:
    """Writes the pictures to the folder of the first argument, or to docs/images."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    if not (path := browser()):
        sys.exit(f"no browser found: install one of {', '.join(BROWSERS)} (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        evaluate(DATA, temporary, settings=Settings(home=Path(temporary) / "home", corpus=CORPUS))
        chromium = playwright.chromium.launch(executable_path=path)
        page = chromium.new_page(viewport=DESK)
        page.goto((Path(temporary) / "report.html").as_uri())
        page.screenshot(path=folder / "eval-report.png")
        page.goto(_recorded(Path(temporary) / "home").as_uri())
        _photograph_trace(page, folder)
        rating = Path(temporary) / "label.html"
        rating.write_text(label_page(read_items(ITEMS)), encoding="utf-8")
        page.goto(rating.as_uri())
        _photograph_rating(page, folder)
        chromium.close()


if __name__ == "__main__":
    main()
