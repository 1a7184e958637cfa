"""A run keeps its event loop free, and one that ends closes its connections. All runs under the detector."""

import asyncio
import gc
import warnings
from pathlib import Path
from typing import Any

import blocking
import pytest
from langgraph.checkpoint.memory import InMemorySaver
from retrievers.services import Asked, Said, Service, Wiki

from agent.mills import Documents, answer, settings_for, text_of
from rarr import Reviser, Settings, Trace
from rarr.agent.wiring.components import wire
from rarr.components import Baseline
from rarr.testing import ScriptedServer

NOTES = "# Kestrel Library\n\nKestrel Library opened in 1976. It has three floors and a garden.\n"
DRAFT = "Kestrel Library opened in 1986. It has three floors. Falcon Bridge was built in 1950."


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes.md").write_text(NOTES)
    return tmp_path / "notes.md"


@pytest.fixture
def short_is_long(monkeypatch: pytest.MonkeyPatch) -> None:
    """What must not be done with a long text must not be done with this one."""
    monkeypatch.setattr(blocking, "LONG", len(DRAFT) - 5)


@pytest.mark.usefixtures("short_is_long")
@pytest.mark.parametrize(
    ("settings", "baseline"),
    [
        ({}, {}),
        ({"queries": "sentences"}, {}),
        ({}, {"editor": "none"}),
    ],
)
async def test_embedded_run_computes_beside_the_event_loop(settings: Any, baseline: Any, notes: Path) -> None:
    def made() -> Reviser:
        return Reviser(components=wire(Settings(corpus=notes, **settings), baseline=Baseline(**baseline)))

    async with await asyncio.to_thread(made) as reviser:
        revision = await reviser.arevise(DRAFT)
    assert revision.evidence != ()
    assert (await asyncio.to_thread(lambda: Trace.load(revision.run_id).revision)) == revision


@pytest.mark.slow
@pytest.mark.loopback
async def test_prompted_run_computes_beside_the_event_loop() -> None:
    with ScriptedServer(answer) as server:
        saver = InMemorySaver()
        settings = settings_for(server)
        async with await asyncio.to_thread(Reviser, settings, checkpointer=saver) as reviser:
            done = await reviser.arevise(text_of(4, wrong=2), run_id="r1")
            assert (done.text, await reviser.aresume("r1")) == (text_of(4, wrong=0), done)


@pytest.mark.slow
@pytest.mark.loopback
def test_event_loop_that_ends_closes_its_connections(notes: Path) -> None:
    with Service(_library) as service, ScriptedServer(answer) as server:
        settings = Settings(
            model="vllm:scripted",
            base_url=server.url,
            search=["wikipedia", Documents()],
            wikipedia_url=service.url,
            reranker="vllm:bge",
            endpoints={"vllm:bge": {"base_url": f"{service.url}/v1"}},
        )
        with warnings.catch_warnings(record=True) as caught:
            warnings.simplefilter("always")
            reviser = Reviser(settings)
            for _ in range(2):
                assert asyncio.run(reviser.arevise(text_of(2, wrong=1))).text == text_of(2, wrong=0)
            del reviser
            gc.collect()
        assert (len(server.requests) > 0, len(service.asked) > 0) == (True, True)
    assert [str(warning.message) for warning in caught if warning.category is ResourceWarning] == []


def _library(asked: Asked) -> Said:
    if not asked.path.endswith("/rerank"):
        return Wiki(Library="Kestrel Library opened in 1976.")(asked)
    count = len(asked.fields["documents"])
    return Said({"results": [{"index": index, "relevance_score": 0.9} for index in range(count)]})
