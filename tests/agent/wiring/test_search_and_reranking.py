"""Rerankers by their names: whose scores are kept, and for which server."""

from typing import Any

import pytest
from makers import passage
from retrievers.services import Asked, Said, Service

from rarr.agent.wiring.resources import Resources
from rarr.agent.wiring.search_and_reranking import reranker
from rarr.agent.wiring.web_sources import WEB_SOURCES
from rarr.errors import RetrievalError
from rarr.retrievers import SOURCES
from rarr.settings import Settings

pytestmark = pytest.mark.loopback


def scoring(score: float) -> Service:
    """A reranker to which everything is worth as much."""

    def answer(asked: Asked) -> Said:
        results = [{"index": n, "relevance_score": score} for n, _ in enumerate(asked.fields["documents"])]
        return Said({"results": results})

    return Service(answer)


async def scores(model: str, url: str, **more: Any) -> list[float]:
    settings = Settings(reranker=f"vllm:{model}", base_url=url, **more)
    opened = Resources(settings)
    try:
        return list(await reranker(settings, opened).score("When?", [passage()]))
    finally:
        for part in opened:
            await part.aclose()


@pytest.mark.slow
async def test_scores_are_those_of_one_model_at_one_server() -> None:
    with scoring(0.25) as server, scoring(0.75) as other:
        asked = [
            (await scores(model, url), len(server.asked), len(other.asked))
            for model, url in [
                ("bge", server.url),
                ("bge", other.url),
                ("bge", f"{server.url}/"),  # known
                ("mxbai", server.url),
            ]
        ]
    assert asked == [([0.25], 2, 0), ([0.75], 2, 2), ([0.25], 2, 2), ([0.25], 4, 2)]


async def test_password_in_the_address_is_not_shown() -> None:
    with pytest.raises(RetrievalError, match=r"score of reranker vllm:bge at http://\*\*\*@a\.org") as raised:
        await scores("bge", "http://me:secret@a.org", offline=True)
    assert "secret" not in str(raised.value)


def test_every_named_source_is_wired() -> None:
    assert {"corpus", *WEB_SOURCES} == set(SOURCES)
