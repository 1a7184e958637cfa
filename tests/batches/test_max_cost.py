"""A limit of the cost counts all results of the output, and needs the price of each model."""

from collections.abc import Iterator
from typing import Any

import pytest

from batches.batch_folder import Batch
from rarr import Settings
from rarr.errors import SettingsError
from rarr.testing import RuleModel, ScriptedServer

NAMES = ("Orrel", "Arden", "Calder", "Dovey")
TEXTS = [f"The {name} Bridge opened in 1932." for name in NAMES]


@pytest.fixture
def server() -> Iterator[ScriptedServer]:
    with ScriptedServer(RuleModel(), models=("one",)) as server:
        yield server


def priced(batch: Batch, server: ScriptedServer, **more: Any) -> Settings:
    model = {"model": "vllm:one", "base_url": server.url, "concurrency": 1}
    return batch.settings(**model, endpoints={"vllm:one": {"price": (1.0, 1.0)}}, **more)


@pytest.mark.loopback
def test_results_of_earlier_calls_count(batch: Batch, server: ScriptedServer) -> None:
    batch.rows(*({"text": text} for text in TEXTS))
    for name in NAMES:
        page = f"# {name} Bridge\n\nTraffic first went over the {name} Bridge in 1936."
        (batch.folder / "corpus" / f"{name}.md").write_text(page)
    settings, limit = priced(batch, server), 1e-9  # the first row costs more
    first = batch.revise(settings, max_cost=limit).counts
    assert 0 < first.rows < len(TEXTS) and first.left == len(TEXTS) - first.rows
    assert first.cost and first.cost > 1e-9
    asked = len(server.requests)
    assert batch.revise(settings, max_cost=limit).counts == first and len(server.requests) == asked
    more = batch.revise(settings, max_cost=1.0).counts
    assert (more.rows, more.left) == (len(TEXTS), 0)


@pytest.mark.parametrize(
    ("models", "name"),
    [
        ({"model": "vllm:one"}, "vllm:one"),
        ({"models": {"edit": "vllm:one"}}, "vllm:one"),
        ({"models": {"attribute": "vllm:judge"}}, "vllm:judge"),
        (
            {"model": "vllm:one", "endpoints": {"vllm:one": {"price": (1, 1)}}, "fallbacks": ["vllm:two"]},
            "vllm:two",
        ),
    ],
)
def test_model_without_a_price_is_refused_before_anything_is_spent(
    models: dict[str, Any], name: str, batch: Batch
) -> None:
    batch.rows({"text": TEXTS[0]})
    with pytest.raises(SettingsError, match=f"max_cost needs the price of {name}: set endpoints"):
        batch.revise(batch.settings(**models), max_cost=1.0)
    assert not list(batch.folder.glob("out*"))
