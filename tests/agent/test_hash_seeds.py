"""A revision does not depend on the order of sets, which differs from process to process."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

EXAMPLES = Path(__file__).parents[2] / "examples"
COMMAND = [sys.executable, "-m", "rarr", "revise", "--json", "--corpus", str(EXAMPLES / "corpus")]


def revised(text: Path, seed: int, home: Path) -> dict[str, object]:
    environment = {**os.environ, "PYTHONHASHSEED": str(seed), "RARR_HOME": str(home), "RARR_TRACE": "false"}
    done = subprocess.run([*COMMAND, "--file", str(text)], env=environment, capture_output=True, check=True)
    revision: dict[str, object] = json.loads(done.stdout)
    passages = revision["evidence"]
    assert isinstance(passages, list)
    for passage in passages:
        del passage["retrieved_at"]
    return {name: value for name, value in revision.items() if name not in ("run_id", "usage")}


@pytest.mark.slow
@pytest.mark.parametrize("name", ["apollo-11.md", "brightwater-energy.md"])
def test_revision_is_the_same_for_every_order_of_sets(name: str, tmp_path: Path) -> None:
    first, second = (revised(EXAMPLES / "texts" / name, seed, tmp_path) for seed in (1, 2))
    assert first == second
