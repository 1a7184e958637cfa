"""Hostile pages and files end within their limits, and cost themselves alone."""

from functools import partial
from pathlib import Path

import pytest
from families import few

from benchmarks.hostile_makers import HTML, OTHER
from rarr.retrievers.corpus.chunking import windows
from rarr.retrievers.corpus.index_building import build_index
from rarr.retrievers.extract import limited_calls as extracting
from rarr.retrievers.extract.extracted_document import UnreadableError
from rarr.retrievers.extract.limited_calls import extracted
from rarr.retrievers.extract.web_page_text import extract_page
from rarr.retrievers.extract.worker_main import CallLimits
from rarr.retrievers.web.mediawiki_queries_and_texts import article_text
from retrievers.extract.endings import no_process_stays as no_process_stays, short as short

pytestmark = pytest.mark.usefixtures("no_process_stays")


@pytest.mark.slow
@pytest.mark.parametrize("name", few(HTML, every=13))
async def test_extraction_of_hostile_html_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracting, "PAGE", CallLimits(0.5, 300))
    try:
        page = await extracted(extract_page, HTML[name](), "text/html", None)
    except UnreadableError as error:
        assert "\n" not in str(error)
    else:
        assert page.text.strip()


@pytest.mark.slow
@pytest.mark.parametrize("name", few(OTHER, every=5))
async def test_extraction_of_other_hostile_pages_ends(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(extracting, "PAGE", CallLimits(0.5, 300))
    content, kind = OTHER[name]
    with pytest.raises(UnreadableError):
        page = await extracted(extract_page, content(), kind, None)
        await extracted(partial(windows, window=4, step=1), page.text)


@pytest.mark.parametrize("line", ["== a" + " " * 300_000 + "b", "=" * 300_000, "= " * 150_000])
def test_extraction_of_a_hostile_heading_takes_as_long_as_the_line(line: str) -> None:
    assert article_text(f"One.\n{line}\nTwo.").endswith("Two.")


@pytest.mark.slow
@pytest.mark.parametrize("name", few(["a.pdf", "a.html", "a.json"], every=3))
def test_extraction_of_a_hostile_file_skips_it(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extracting, "FILE", CallLimits(0.5, 200))
    monkeypatch.setattr(extracting, "MORE", CallLimits(0.0, 0))
    if name == "a.json":
        content = b"[" + b"{}," * 20_000_000
    else:
        content = OTHER["PDF"][0]() if name == "a.pdf" else HTML["headings"]()
    corpus = tmp_path / "corpus"
    corpus.mkdir()
    (corpus / "b.md").write_text("Peaches grow.")
    (corpus / name).write_bytes(content)
    report = build_index(corpus, tmp_path / "index", window=4, step=1, max_file_mb=200)
    [(file, reason)] = report.skipped
    assert (file.rpartition("/")[2], report.passages) == (name, 1)
    assert "reading it takes more than" in reason
