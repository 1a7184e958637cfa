"""Gives each test of batches a folder of its own."""

from pathlib import Path

import pytest

from batches.batch_folder import Batch
from rarr.batches import file_batch
from rarr.batches.jobs import Done, Job, Tasks


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    folder = Batch(tmp_path)

    class Watched(Tasks):
        async def run(self, job: Job) -> Done:
            folder.ran.append(job.text)
            return await super().run(job)

    monkeypatch.setattr(file_batch, "Tasks", Watched)
    return folder
