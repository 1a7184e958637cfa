"""A Ray cluster of two nodes on this machine, and sources that kill the process that searches them."""

import os
from collections.abc import Iterator
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pytest

from rarr import Settings
from rarr.batches.ray import require_ray
from rarr.records import Passage

RIGHT, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."
DEADLY, DEADLY_ONCE = "The Orrel Dam is 212 metres high.", "The Arden Dam is 212 metres high."
BAD_TEXT = "its 'text' is empty: give a text"
OWN = {"rarr_run_id"}
"""The column that differs from run to run."""
MARKS = [
    pytest.mark.ray,
    pytest.mark.slow,
    pytest.mark.loopback,
    pytest.mark.skipif(find_spec("ray") is None, reason="needs the extra ray"),
]


@pytest.fixture(scope="module")
def cluster() -> Iterator[Any]:
    """Two nodes, each with two cores for Ray: its actors for checkpoints need one besides those for rows."""
    ray = require_ray()
    from ray.cluster_utils import Cluster

    made = Cluster(initialize_head=True, head_node_args={"num_cpus": 2, "include_dashboard": False})
    made.add_node(num_cpus=2)
    # Its address is that of this machine, which is not loopback: what a test does in this process uses this.
    ray.init(address=made.address, log_to_driver=False, logging_level="CRITICAL")
    yield made
    ray.shutdown()
    made.shutdown()


def settings_in(folder: Path, **options: Any) -> Settings:
    """The settings of quick runs against a small corpus in the folder."""
    corpus = folder / "corpus"
    if not corpus.exists():
        corpus.mkdir()
        (corpus / "dam.md").write_text(f"# Hoover Dam\n\n{RIGHT}\n")
    given = {"corpus": corpus, "home": folder / "home", "model": "embedded", "reranker": "overlap"} | options
    return Settings(**given, trace=False)


def deadly(folder: Path, **kills: int) -> Any:
    """A source that kills the process that asks it about a name: at most so often, as `Orrel=2`."""

    def die(query: str) -> None:  # within a function, as the class is, so that its code travels with it
        for name, most in kills.items():
            killed = len(list(folder.glob(f"{name}.*")))
            if name in query and killed < most:
                (folder / f"{name}.{killed}").touch()
                os.kill(os.getpid(), 9)

    class Deadly:
        async def retrieve(self, query: str, k: int) -> list[Passage]:
            die(query)
            return []

    return Deadly()


def kills_in(folder: Path, name: str) -> int:
    """How often a process was killed because of this name."""
    return len(list(folder.glob(f"{name}.*")))
