"""One search for each query, with K documents."""

import pytest
from makers import ASKED, passage, query, runtime

from rarr.errors import RetrievalError
from rarr.nodes.retrieve import retrieve
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever


async def test_searches_once_for_k_documents() -> None:
    source = InMemoryRetriever([passage()])
    settings = Settings(documents_per_query=7)
    update = await retrieve({"query": query()}, runtime(settings, retriever=source))
    assert update == {"passages": {"q1": [passage()]}}
    assert source.calls == [(ASKED, 7)]


async def test_search_without_results_is_an_answer() -> None:
    assert await retrieve({"query": query()}, runtime()) == {"passages": {"q1": []}}


async def test_failed_search_is_raised_for_the_graph() -> None:
    with pytest.raises(RetrievalError, match="down"):
        await retrieve({"query": query()}, runtime(retriever=InMemoryRetriever(RetrievalError("down"))))
