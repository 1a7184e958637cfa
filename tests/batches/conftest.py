"""Gives each test of batches a folder of its own."""

from pathlib import Path
from typing import Any

import pytest

from batches.batch_folder import Batch
from rarr.batches import batch_runner
from rarr.serve.in_process import InProcess
from rarr.serve.job_and_runner import Job


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    folder = Batch(tmp_path)

    class Watched(InProcess):
        async def run(self, job: Job, on_step: Any = None) -> Any:
            folder.ran.append(job.text)
            return await super().run(job, on_step)

    monkeypatch.setattr(batch_runner, "InProcess", Watched)
    return folder
