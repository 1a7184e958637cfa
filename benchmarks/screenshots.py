"""Takes pictures of the pages for the documentation: python -m benchmarks.screenshots [docs/images]

Uses the Chromium of this machine. The pictures show: the report of an evaluation on examples/eval.jsonl; the
trace of a run on examples/texts/demo.md, with `RuleModel` as the model; the page of `rarr serve` with the
same text; the page on which people rate examples/ratings; and the output of `rarr revise` on a terminal. Run
it in the root of the repository.
"""

import io
import os
import pty
import shutil
import subprocess
import sys
import tempfile
from pathlib import Path

from playwright.sync_api import Page, ViewportSize, sync_playwright
from rich.console import Console
from rich.text import Text

from rarr import Reviser, Settings
from rarr.evals.evaluation import evaluate
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


def find_browser() -> str | None:
    return next((path for name in BROWSERS if (path := shutil.which(name))), None)


def _write_trace_page(home: Path) -> Path:
    """Writes the page of a run whose model is slow, and is once too busy to answer. Returns its path."""
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


def _photograph_server(page: Page, folder: Path, home: Path) -> None:
    """Revises the text on the page of a server, and takes pictures of the page."""
    argv = [sys.executable, "-m", "rarr", "serve", "--corpus", str(CORPUS), "--port", "0"]
    settings = {**os.environ, "RARR_HOME": str(home)}
    with subprocess.Popen(argv, stderr=subprocess.PIPE, text=True, env=settings) as server:
        assert server.stderr
        page.goto(server.stderr.readline().split()[-1].removesuffix("v1"))
        page.set_viewport_size(WIDE)
        page.emulate_media(color_scheme="light")
        page.locator("#answer").fill(TEXT.read_text(encoding="utf-8"))
        page.get_by_role("button", name="Revise").click()
        page.locator("#text").wait_for()
        page.screenshot(path=folder / "serve.png", full_page=True)
        page.set_viewport_size(PHONE)
        page.emulate_media(color_scheme="dark")
        page.locator("#text").scroll_into_view_if_needed()
        page.screenshot(path=folder / "serve-phone.png")
        server.terminate()


def _photograph_rating(page: Page, folder: Path) -> None:
    """Rates the first items, and takes pictures of the next item, which has a revision."""
    page.set_viewport_size(RATING)
    page.emulate_media(color_scheme="light")
    for key in [*("y1" * 7), *"y1s", "ArrowLeft"]:
        page.keyboard.press(key)
    page.screenshot(path=folder / "label.png")
    page.emulate_media(color_scheme="dark")
    page.set_viewport_size(PHONE)
    page.screenshot(path=folder / "label-phone.png")


def _photograph_terminal(page: Page, file: Path, home: Path) -> None:
    """Runs a command on a terminal, and takes a picture of its output."""
    argv = ["revise", "--file", str(TEXT), "--corpus", str(CORPUS)]
    settings = {**os.environ, "RARR_HOME": str(home), "COLUMNS": "108", "TERM": "xterm-256color"}
    own, terminal = pty.openpty()
    subprocess.run([sys.executable, "-m", "rarr", *argv], stdout=terminal, env=settings, check=True)
    console = Console(record=True, width=110, file=io.StringIO())
    shown = os.read(own, 60_000).decode().replace("\r\n", "\n")
    console.print(Text.from_ansi(f"$ rarr {' '.join(argv)}\n{shown}"))
    page.set_content(console.export_html(inline_styles=True))
    page.locator("pre").screenshot(path=file)


def main() -> None:
    """Writes the pictures to the folder of the first argument, or to docs/images."""
    folder = Path(sys.argv[1] if len(sys.argv) > 1 else "docs/images")
    folder.mkdir(parents=True, exist_ok=True)
    if not (path := find_browser()):
        sys.exit(f"no browser found: install one of {', '.join(BROWSERS)} (Debian: apt install chromium)")
    with tempfile.TemporaryDirectory() as temporary, sync_playwright() as playwright:
        evaluate(DATA, temporary, settings=Settings(home=Path(temporary) / "home", corpus=CORPUS))
        chromium = playwright.chromium.launch(executable_path=path)
        page = chromium.new_page(viewport=DESK)
        page.goto((Path(temporary) / "report.html").as_uri())
        # Pictures in the documentation must not show paths of this machine.
        page.evaluate(
            "at => { document.body.innerHTML = document.body.innerHTML.replaceAll(at, '') }", f"{Path.cwd()}/"
        )
        page.screenshot(path=folder / "eval-report.png")
        page.goto(_write_trace_page(Path(temporary) / "home").as_uri())
        _photograph_trace(page, folder)
        rating = Path(temporary) / "label.html"
        rating.write_text(label_page(read_items(ITEMS)), encoding="utf-8")
        page.goto(rating.as_uri())
        _photograph_rating(page, folder)
        _photograph_server(page, folder, Path(temporary) / "home")
        page = chromium.new_page(viewport=WIDE)  # on the old page, its policy would block the content
        _photograph_terminal(page, folder / "terminal.png", Path(temporary) / "home")
        chromium.close()


if __name__ == "__main__":
    main()
