"""A batch that is killed, or whose workers are, loses no row, repeats none, and leaves no process."""

from pathlib import Path
from typing import Literal

import pytest

from benchmarks.batch_kills import KilledBatch

pytestmark = pytest.mark.slow

TEXTS = [f"The Hoover Dam is {200 + number} metres high." for number in range(12)]


@pytest.mark.parametrize("what", ["run", "worker"])
def test_killed_batch_ends_as_an_undisturbed_one(what: Literal["run", "worker"], tmp_path: Path) -> None:
    kills = KilledBatch(tmp_path, TEXTS, workers=2, model="embedded").killed(what, 3, seed=1)
    assert kills.kills == 3 and kills.runs and kills.clean, kills
