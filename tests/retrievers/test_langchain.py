"""Sources behind retrievers of LangChain."""

import hashlib
from datetime import UTC, datetime
from typing import Any

import pytest
from langchain_core.callbacks import CallbackManagerForRetrieverRun
from langchain_core.documents import Document
from langchain_core.retrievers import BaseRetriever
from tools.asking import metered

from rarr.errors import RetrievalError
from rarr.retrievers.langchain import LangChainRetriever
from rarr.retrievers.web.domain_and_date_limits import SourceLimits


class Shelf(BaseRetriever):
    """Gives out its documents, or fails."""

    documents: tuple[Document, ...] = ()
    error: Exception | None = None

    def _get_relevant_documents(
        self, query: str, *, run_manager: CallbackManagerForRetrieverRun
    ) -> list[Document]:
        if self.error is not None:
            raise self.error
        return list(self.documents)


def over(*documents: Document, **options: Any) -> LangChainRetriever:
    return LangChainRetriever(Shelf(documents=documents), **({"window": 2, "step": 1} | options))


async def test_sources_of_langchain_become_passages() -> None:
    metadata = {"source": "notes/fruit.md", "title": "Fruit", "date": "2024-03-05"}
    document = Document("Apples are red. Pears are green. Peaches grow here.", metadata=metadata)
    first, second = await over(document).retrieve("Where do peaches grow?", 5)
    assert (first.text, first.start, first.end) == ("Pears are green. Peaches grow here.", 16, 51)
    assert (second.start, second.source, second.title) == (0, "notes/fruit.md", "Fruit")
    assert second.published_at == datetime(2024, 3, 5, tzinfo=UTC)


@pytest.mark.parametrize(
    ("document", "source"),
    [
        (Document("x.", metadata={"url": "https://a.org"}), "https://a.org"),
        (Document("x.", metadata={"file_path": "a.pdf"}), "a.pdf"),
        (Document("x.", id="doc-7"), "unnamed:doc-7"),
        (Document("x.", metadata={"source": ""}), "unnamed:" + hashlib.sha256(b"x.").hexdigest()[:12]),
    ],
)
async def test_sources_of_langchain_without_metadata_have_a_name(document: Document, source: str) -> None:
    [passage] = await over(document).retrieve("x", 5)
    assert passage.source == source


async def test_sources_of_langchain_that_no_limit_can_allow_are_a_warning() -> None:
    limits = SourceLimits(after=datetime(2020, 1, 1, tzinfo=UTC))
    with metered() as meter:
        assert await over(Document("x.", metadata={"source": "a.md"}), limits=limits).retrieve("x", 1) == []
    [warning] = meter.warnings
    assert warning.code == "source_left_out"
    assert warning.message.startswith("the passages of the LangChain retriever Shelf are left out, since")


async def test_sources_of_langchain_that_fail_say_why() -> None:
    failing = LangChainRetriever(Shelf(error=OSError("no\nindex, key sk-0123456789")), window=4, step=1)
    with pytest.raises(
        RetrievalError, match=r"retriever Shelf failed \(OSError: no index, key \*\*\*\): try"
    ):
        await failing.retrieve("x", 5)


@pytest.mark.parametrize("result", [None, "peaches", [{"page_content": "peaches"}]])
async def test_source_of_langchain_that_returns_other_values_is_a_failure(
    result: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(Shelf, "_get_relevant_documents", lambda *given, **more: result)
    with pytest.raises(RetrievalError, match=r"Shelf returned a .* that is not a list of documents: mend"):
        await over().retrieve("peaches", 5)
