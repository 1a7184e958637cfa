"""Which pages of a search could not be read: said where others make up for them."""

from datetime import UTC, datetime

import pytest
from tools.asking import metered

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.web.service_requests import readable

READ = [Passage(text="x", source="https://ok.org/", start=0, end=1, retrieved_at=datetime.now(UTC))]


def messages(*pages: list[Passage] | str) -> list[str]:
    """The warnings of a run in which each page was read, or failed with these words."""
    urls = [f"https://{number}.org/" for number in range(len(pages))]
    outcomes = [RetrievalError(page) if isinstance(page, str) else page for page in pages]
    with metered() as meter:
        assert readable(urls, outcomes) == READ
    assert {warning.code for warning in meter.warnings} <= {"page_failed"}
    return [warning.message for warning in meter.warnings]


def test_page_that_failed_is_named_once_with_its_cause() -> None:
    assert messages(READ, "gone:\ncheck it", "https://2.org/: it answered 404: check it") == [
        "a page was left out: https://1.org/: gone: check it",
        "a page was left out: https://2.org/: it answered 404: check it",
    ]


def test_pages_that_all_fail_are_an_error_without_warnings() -> None:
    with metered() as meter, pytest.raises(RetrievalError, match="gone"):
        readable(["https://a.org/"], [RetrievalError("gone")])
    assert meter.warnings == []
