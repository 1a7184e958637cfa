"""Checking documents: what counts as judged, and that no failure passes as a finding."""

import asyncio
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from agent.dams import RIGHT, WRONG
from agent.test_verify import agrees
from rarr import Reviser, Settings
from rarr.agent.check import DocumentFile, check_documents
from rarr.errors import RetrievalError
from rarr.records.postprocessing import CheckedDocument, DocumentChecks
from rarr.retrievers.corpus.corpus import Corpus
from rarr.testing import InMemoryRetriever, ScriptedModel


@pytest.fixture(autouse=True)
def _corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("specs").mkdir()
    text = "# Hoover Dam\n\nIt is in Nevada.\n\nHoover Dam is 221 metres high.\n"
    Path("specs/dam.md").write_text(text, encoding="utf-8")


async def checked(*files: DocumentFile, fail_on: Sequence[str] = (), **settings: object) -> DocumentChecks:
    async with Reviser(Settings(**({"corpus": "specs"} | settings))) as reviser:
        return await check_documents(reviser, files, fail_on, jobs=2)  # type: ignore[arg-type]


async def one(text: str, **options: object) -> CheckedDocument:
    return (await checked(DocumentFile("a.md", text), **options)).documents[0]  # type: ignore[arg-type]


async def test_a_contradicted_sentence_is_found_at_its_place_with_its_quote() -> None:
    document = await one(f"# Dam\n\n{RIGHT} Ok.\nOk 🌉 🌉. {WRONG}\n")
    (finding,) = document.failing_findings
    assert (finding.status, finding.line, finding.end_column) == ("contradicted", 4, 43)
    (part,) = [part for part in finding.parts if part.state == "differs"]
    assert (part.words, part.says) == ("212 metres", "221 metres")
    quote = finding.quotes[0]
    assert (quote.quote, quote.source) == ("Hoover Dam is 221 metres high.", "specs/dam.md")
    assert (quote.start, quote.end) == (32, 62)


@pytest.mark.parametrize("is_object", [False, True])
async def test_results_keep_the_order_and_a_warning_about_the_sources_comes_once(is_object: bool) -> None:
    await asyncio.to_thread(Path("specs/old.doc").write_bytes, b"x")
    files = [DocumentFile("a.md", WRONG), DocumentFile("b.md", RIGHT), DocumentFile("c", unreadable="no")]
    corpus = await asyncio.to_thread(Corpus.open, Path("specs"), home=Path("home"), window=4)
    checks = await (checked(*files, corpus=None, search=[corpus]) if is_object else checked(*files))
    assert [len(document.failing_findings) for document in checks.documents] == [1, 0, 0]
    assert (checks.failing, checks.unjudged, checks.documents[2].notice) == (1, 1, "no")
    (warning,) = checks.warnings
    assert warning.startswith("file_skipped: specs/old.doc")
    assert [document.warnings for document in checks.documents] == [()] * 3


DOWN = RetrievalError("the search is down: start it")
TABLE = f"{RIGHT}\n\n<table><tr><td>Hoover Dam</td><td>212 m</td></tr></table>\n"
EVEREST = f"{WRONG}\n\nMount Everest is 8849 metres high.\n"
HALF_DOWN = InMemoryRetriever({f"{WRONG} Mount Everest is 8849 metres high.": DOWN})


@pytest.mark.parametrize(
    ("text", "settings", "outcome", "notice"),
    [
        (" \n", {}, "nothing_to_check", "empty"),
        ("Hello there!", {}, "nothing_to_check", "nothing to check"),
        (TABLE, {}, "partly_judged", "table_not_checked"),
        (f"<p>{RIGHT}</p>\n", {}, "not_judged", "html_not_checked"),
        (WRONG, {"corpus": None, "search": InMemoryRetriever(DOWN)}, "not_judged", "is down: start it"),
        (EVEREST, {"corpus": None, "search": HALF_DOWN}, "partly_judged", "the search is down"),
        (RIGHT, {"model": ScriptedModel(agrees)}, "not_judged", "reader_unreliable"),
    ],
)
async def test_what_was_not_judged_is_no_pass(text: str, settings: Any, outcome: str, notice: str) -> None:
    document = await one(text, **settings)
    assert (document.outcome, document.failing_findings) == (outcome, ())
    assert notice in document.notice
    assert document.has_unjudged_text == (outcome != "nothing_to_check")
