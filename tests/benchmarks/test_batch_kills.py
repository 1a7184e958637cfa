"""A batch that is killed, has a full disk or runs eight times at once loses no row and repeats none."""

from pathlib import Path
from typing import Literal

import pytest

from benchmarks.batch_kills import KilledBatch

pytestmark = pytest.mark.slow

TEXTS = [f"The Hoover Dam is {200 + number} metres high." for number in range(12)]


@pytest.mark.parametrize("what", ["run", "worker"])
def test_killed_batch_ends_as_an_undisturbed_one(what: Literal["run", "worker"], tmp_path: Path) -> None:
    kills = KilledBatch(tmp_path, TEXTS, workers=2, model="embedded").killed(what, 3, seed=1)
    assert kills.kills == 3 and kills.runs and not any(kills[2:]), kills


def test_batch_on_a_full_disk_continues_and_eight_at_once_agree(tmp_path: Path) -> None:
    batch = KilledBatch(tmp_path, TEXTS, workers=1)
    full, together = batch.filled(), batch.at_once()
    assert full.kills and full.runs == 1 and not any(full[2:]), full
    assert together.runs == 8 and not any(together[2:]), together
