"""The retriever in memory: what it finds, that it records what it was asked, and that it can fail."""

import pytest
from makers import ASKED, FACT, passage

from rarr.testing import InMemoryRetriever


async def test_retriever_ranks_by_shared_words() -> None:
    source = InMemoryRetriever(["Plums.", "The state of Georgia.", FACT])
    assert [p.text for p in await source.retrieve(ASKED, 5)] == [FACT, "The state of Georgia."]
    assert source.calls == [(ASKED, 5)]


async def test_retriever_finds_the_list_of_the_query() -> None:
    source = InMemoryRetriever({ASKED: [passage()], "Who?": OSError("down")})
    assert await source.retrieve(ASKED, 5) == [passage()]
    assert await source.retrieve("Why?", 5) == []
    with pytest.raises(OSError, match="down"):
        await source.retrieve("Who?", 5)
