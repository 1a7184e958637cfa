"""Rows run in actors of a Ray cluster by `rarr batch --ray`, as they run elsewhere."""

from collections.abc import Iterator
from importlib.util import find_spec
from typing import Any

import pytest

from batches import conftest
from batches.conftest import RIGHT, WRONG, Batch, KillingSource, require_only_the_killer_fails
from rarr.batches.jobs import ENDED_TWICE
from rarr.batches.ray import import_ray
from rarr.testing import RuleModel, ScriptedModel

pytestmark = [
    pytest.mark.ray,
    pytest.mark.slow,
    pytest.mark.loopback,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[dict[str, Any]]:
    """The options of a run in a cluster of two nodes."""
    ray = import_ray()
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    made.add_node(num_cpus=2)
    # Its address is that of this machine, which is not loopback: what a test does in this process uses this.
    ray.init(address=made.address, log_to_driver=False, logging_level="CRITICAL")
    ray.cloudpickle.register_pickle_by_value(conftest)  # its nodes have no tests
    yield {"workers": 2, "ray": made.address}
    ray.shutdown()
    made.shutdown()


def test_results_equal_those_of_this_process(
    cluster: dict[str, Any], batch: Batch, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(batch.folder)  # the nodes work in another folder
    batch.rows({"text": WRONG}, {"text": ""}, {"text": RIGHT})
    settings, found = batch.settings(corpus="corpus"), list[Any]()
    for options in (cluster, {}):
        batch.out = batch.folder / f"{len(found)}.jsonl"
        batch.revise(settings, **options)
        found.append([row | {"rarr_run_id": ""} for row in batch.results()])
    assert found[0] == found[1]
    assert [row["rarr_text"] for row in found[0]] == [RIGHT, None, RIGHT]
    assert found[0][1]["rarr_error"] == "its 'text' is empty: give a text"


def test_row_that_kills_its_actor_twice_costs_no_other_row_its_result(cluster: Any, batch: Batch) -> None:
    require_only_the_killer_fails(batch, **cluster)


def test_rows_beside_a_deadly_one_in_an_actor_keep_results(cluster: dict[str, Any], batch: Batch) -> None:
    batch.rows(*({"text": text} for text in (WRONG, "The Orrel Dam is high.", RIGHT)))
    search = ["corpus", KillingSource(batch.folder, seconds=1, Orrel=2)]
    model = ScriptedModel(RuleModel(), name="rules")
    settings = batch.settings(search=search, model=model, queries="sentences")
    batch.revise(settings, **cluster | {"workers": 1})  # it runs all three at once
    assert [row["rarr_error"] for row in batch.results()] == [None, ENDED_TWICE, None]
