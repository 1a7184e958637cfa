"""Collects the passages of search results, and warns of the pages that could not be read."""

from collections.abc import Sequence

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.web.service_requests import joined
from rarr.tools.models.run_budget import meter
from rarr.tools.text.plurals_and_articles import counted
from rarr.tools.text.printable_text import shown

PAGE_FAILED = "page_failed"
"""The code of the warnings about such pages."""
MOST_NAMED = 3  # pages of one query that are named; the others are counted


def readable(
    query: str, urls: Sequence[str], documents: Sequence[Sequence[Passage] | RetrievalError]
) -> list[Passage]:
    """Returns the passages of all pages that could be read, in order; `documents[i]` is of `urls[i]`.

    Pages that could not be read become warnings of the run. Raises the first failure where there are no
    passages, since it may be the reason.
    """
    passages = joined(documents)
    results = zip(urls, documents, strict=True)
    failed = [(url, result) for url, result in results if isinstance(result, RetrievalError)]
    for url, error in failed[:MOST_NAMED]:
        meter().warn(PAGE_FAILED, f"a page was left out: {_named(url, error)}")
    if (more := len(failed) - MOST_NAMED) > 0:
        meter().warn(PAGE_FAILED, f"left out of the pages for {shown(query)!r}: {counted(more, 'more page')}")
    return passages


def _named(url: str, error: RetrievalError) -> str:
    """Returns the message of `error`, preceded by the page's address unless the message names it."""
    message = " ".join(str(error).split())
    return message if shown(url) in message else f"{shown(url)}: {message}"
