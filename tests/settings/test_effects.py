"""Settings do what their documentation says, from their name to the part that uses them."""

import asyncio
import time
from functools import partial
from pathlib import Path

import pytest
from makers import FACT, TEXT
from retrievers.hostile import Hostile, answer, silent
from traces.helpers import filled

from rarr import Reviser, Settings
from rarr.agent.wiring.components import wire
from rarr.errors import RetrievalError
from rarr.retrievers.fetch import fetching
from rarr.retrievers.fetch.fetching import Fetcher
from rarr.testing import (
    InMemoryRetriever,
    RuleModel,
    ScriptedModel,
)

DAY_S = 86_400


def fetcher(monkeypatch: pytest.MonkeyPatch, **settings: float) -> Fetcher:
    """The fetcher of these settings, which may also fetch from this machine."""
    monkeypatch.setattr(fetching, "Fetcher", partial(Fetcher, allow_loopback=True))
    chosen = Settings(search="searxng", searxng_url="http://127.0.0.1:9", robots=False, **settings)
    return next(resource for resource in wire(chosen).opened if isinstance(resource, Fetcher))


def test_query_temperature_applies_to_question_generation_only() -> None:
    model = ScriptedModel(RuleModel())
    search = InMemoryRetriever([FACT])
    settings = Settings(model=model, search=search, query_temperature=0.3, queries="questions")
    with Reviser(settings) as reviser:
        reviser.revise(TEXT)
    temperatures = {request.name: request.temperature for request in model.calls}
    assert temperatures.pop("generate_queries") == 0.3
    assert set(temperatures.values()) == {0.0}


def test_wikipedia_language_is_the_edition_that_is_asked() -> None:
    wikipedia = wire(Settings(search="wikipedia", wikipedia_language="de")).retriever.source  # type: ignore[attr-defined]  # within its limits
    assert wikipedia.probe().url == "https://de.wikipedia.org/w/api.php"


@pytest.mark.loopback
async def test_page_timeout_s_ends_a_slow_fetch(monkeypatch: pytest.MonkeyPatch) -> None:
    impatient = await asyncio.to_thread(fetcher, monkeypatch, page_timeout_s=0.05)
    async with Hostile({"/": silent}) as server:
        with pytest.raises(RetrievalError, match=r"took more than 0\.05 s"):
            await impatient.fetch(server.url())


@pytest.mark.loopback
@pytest.mark.parametrize("max_page_mb", [1, 2])
async def test_max_page_mb_limits_a_page(max_page_mb: int, monkeypatch: pytest.MonkeyPatch) -> None:
    limited = await asyncio.to_thread(fetcher, monkeypatch, max_page_mb=max_page_mb)
    content = b"a" * 1_000_001
    async with Hostile({"/": answer(content)}) as server:
        if max_page_mb == 1:
            with pytest.raises(RetrievalError, match="longer than 1,000,000 bytes"):
                await limited.fetch(server.url())
        else:
            assert (await limited.fetch(server.url())).content == content


@pytest.mark.parametrize(
    ("limits", "kept"),
    [
        ({"trace_days": 2}, {"yesterday", "new"}),
        ({"trace_days": 0.5}, {"new"}),
        ({"trace_max_mb": 500}, {"yesterday", "new"}),
        ({"trace_max_mb": 0.001}, {"new"}),
    ],
)
def test_trace_days_and_trace_max_mb_remove_old_traces(
    limits: dict[str, float], kept: set[str], tmp_path: Path
) -> None:
    store = filled(tmp_path, "yesterday", stored=time.time() - DAY_S)
    with Reviser(Settings(home=tmp_path, search=InMemoryRetriever([FACT]), **limits)) as reviser:
        reviser.revise(TEXT, run_id="new")
    with store.used() as sqlite:
        assert {run_id for (run_id,) in sqlite.execute("SELECT run_id FROM runs")} == kept
