"""What is said of pages that a search found and nobody could read, where others of them make up for it."""

from collections.abc import Sequence

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.fetch.links import shown
from rarr.retrievers.web.search_requests import together
from rarr.tools.models.meter import meter
from rarr.tools.text.nouns import counted

PAGE_FAILED = "page_failed"
"""The code of its warnings."""
MOST_NAMED = 3  # pages of one query; the rest are counted


def readable(
    query: str, urls: Sequence[str], found: Sequence[Sequence[Passage] | RetrievalError]
) -> list[Passage]:
    """The passages of all pages at `urls`, in order; the run is warned of those that could not be read.

    Raises the first failure where there are no passages: it may be why.
    """
    passages = together(found)
    failed = [(url, one) for url, one in zip(urls, found, strict=True) if isinstance(one, RetrievalError)]
    for url, error in failed[:MOST_NAMED]:
        meter().warn(PAGE_FAILED, f"a page was left out: {_named(url, error)}")
    if (more := len(failed) - MOST_NAMED) > 0:
        meter().warn(PAGE_FAILED, f"left out of the pages for {shown(query)!r}: {counted(more, 'more page')}")
    return passages


def _named(url: str, error: RetrievalError) -> str:
    """`error` with the address of its page, which not every failure says."""
    said = " ".join(str(error).split())
    return said if shown(url) in said else f"{shown(url)}: {said}"
