"""One search for each query, with K documents."""

from makers import ASKED, passage, query, runtime

from rarr.nodes.retrieve import retrieve
from rarr.settings import Settings
from rarr.testing import InMemoryRetriever


async def test_searches_once_for_k_documents() -> None:
    source = InMemoryRetriever([passage()])
    settings = Settings(documents_per_query=7)
    update = await retrieve({"query": query()}, runtime(settings, retriever=source))
    assert update == {"passages": {"q1": [passage()]}}
    assert source.calls == [(ASKED, 7)]
