"""Checking documents: what counts as judged, and that no failure passes as a finding."""

import asyncio
from collections.abc import Sequence
from pathlib import Path

import pytest

from rarr import InputError, Reviser, Settings
from rarr.agent.check import DocumentFile, check_documents
from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.records.document_checks import CheckedDocument, DocumentChecks
from rarr.tools.concurrency import run

WRONG, RIGHT = "The Hoover Dam is 212 metres high.", "The Hoover Dam is 221 metres high."
OPEN = "It belongs to Mr Smith."


@pytest.fixture(autouse=True)
def _corpus(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    Path("specs").mkdir()
    Path("specs/dam.md").write_text(
        "# Hoover Dam\n\nIt is in Nevada.\n\nHoover Dam is 221 metres high.\n", encoding="utf-8"
    )


async def checked(*texts: str, fail_on: Sequence[str] = (), **settings: object) -> DocumentChecks:
    documents = [DocumentFile(f"{number}.md", text) for number, text in enumerate(texts)]
    async with Reviser(Settings(**({"corpus": "specs"} | settings))) as reviser:
        return await check_documents(reviser, documents, fail_on, jobs=2)  # type: ignore[arg-type]


async def one(text: str, **options: object) -> CheckedDocument:
    return (await checked(text, **options)).documents[0]  # type: ignore[arg-type]


async def test_a_contradicted_sentence_is_found_at_its_place_with_the_line_of_the_source() -> None:
    document = await one(f"# Dam\n\n{RIGHT} Ok.\n🌉 🌉 {WRONG}\n")
    (finding,) = document.failing
    assert (finding.status, finding.place.line, finding.place.end_column) == ("contradicted", 4, 39)
    (part,) = [part for part in finding.parts if part.state == "differs"]
    assert (part.words, part.place.line, part.place.column, part.says) == ("212", 4, 23, "221 metres")
    quote = finding.quotes[0]
    assert (quote.quote, quote.source, quote.line) == ("Hoover Dam is 221 metres high.", "specs/dam.md", 5)


async def test_results_keep_the_order_of_the_documents() -> None:
    checks = await checked(WRONG, RIGHT, WRONG)
    assert [len(document.failing) for document in checks.documents] == [1, 0, 1]
    assert (checks.failing, checks.unjudged) == (2, 0)


async def test_an_open_sentence_fails_only_if_asked() -> None:
    mild, strict = await one(OPEN), await one(OPEN, fail_on=("unconfirmed", "no_evidence"))
    assert (len(mild.findings), len(mild.failing), len(strict.failing)) == (1, 0, 1)


async def test_a_contradicted_sentence_fails_whatever_else_is_asked() -> None:
    assert (await one(WRONG, fail_on=("no_evidence",))).failing


@pytest.mark.parametrize("text", ["", " \n", "Hello there!"])
async def test_a_document_without_claims_has_nothing_to_check(text: str) -> None:
    document = await one(text)
    assert (document.outcome, document.findings, document.unjudged) == ("nothing_to_check", (), False)


async def test_a_document_that_could_not_be_read_is_not_judged() -> None:
    async with Reviser(Settings(corpus=Path("specs"))) as reviser:
        checks = await check_documents(reviser, [DocumentFile("a.md", unreadable="no")], (), jobs=1)
    assert (checks.unjudged, checks.documents[0].outcome, checks.documents[0].notice) == (
        1,
        "not_judged",
        "no",
    )


class Failing:
    """A source that fails for every query, or for those about a word."""

    def __init__(self, word: str = "") -> None:
        self.word = word

    async def retrieve(self, query: str, k: int) -> Sequence[Passage]:
        if self.word in query:
            raise RetrievalError("the search is down: start it")
        return []


async def test_a_failed_search_is_no_pass() -> None:
    document = await one(WRONG, corpus=None, search=Failing())
    assert (document.outcome, document.failing) == ("not_judged", ())
    assert "the search is down: start it" in document.notice


async def test_a_partly_failed_search_is_told() -> None:
    document = await one(
        f"{WRONG}\n\nMount Everest is 8849 metres high.\n", corpus=None, search=Failing("Everest")
    )
    assert document.outcome == "partly_judged"
    assert "the search is down: start it" in document.notice
    assert [finding.status for finding in document.findings][-1] == "retrieval_failed"


async def test_a_sentence_that_no_question_asks_about_is_no_pass() -> None:
    document = await one("It must be taken during pregnancy.")
    assert [finding.status for finding in document.findings] != ["supported"]


async def test_words_that_nobody_reads_leave_a_document_partly_judged() -> None:
    document = await one(f"{RIGHT}\n\n<table><tr><td>Hoover Dam</td><td>212 m</td></tr></table>\n")
    assert (document.outcome, document.failing) == ("partly_judged", ())
    assert "table_not_checked" in document.notice


async def test_a_warning_about_the_sources_comes_once() -> None:
    await asyncio.to_thread(Path("specs/old.doc").write_bytes, b"x")
    checks = await checked(WRONG, RIGHT)
    (warning,) = checks.warnings
    assert warning.startswith("file_skipped: specs/old.doc")
    assert [document.warnings for document in checks.documents] == [(), ()]


def test_a_source_whose_file_has_changed_has_no_line() -> None:
    with Reviser(Settings(corpus=Path("specs"))) as reviser:
        Path("specs/dam.md").write_text("Now it is another text.", encoding="utf-8")
        checks = run(check_documents(reviser, [DocumentFile("a.md", WRONG)], (), jobs=1))
    quote = checks.documents[0].failing[0].quotes[0]
    assert (quote.line, quote.start < quote.end) == (None, True)


async def test_a_wrong_setting_is_an_error() -> None:
    with pytest.raises(InputError):
        await checked(WRONG, corpus="missing")
