"""A folder with a corpus and an input, of which tests make batches."""

import json
from pathlib import Path
from typing import Any

import pytest

from rarr import Settings
from rarr.batches import batch_runner
from rarr.batches.file_batch import BatchReport, revise_file
from rarr.serve.in_process import InProcess
from rarr.serve.job_and_runner import Job

RIGHT, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."


class Batch:
    """A folder with a corpus and an input, of which batches are made."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.source, self.out = folder, folder / "in.jsonl", folder / "out.jsonl"
        (folder / "corpus").mkdir()
        (folder / "corpus" / "dam.md").write_text(f"# Hoover Dam\n\n{RIGHT}\n")
        self.ran: list[str] = []

    def rows(self, *rows: dict[str, Any]) -> None:
        self.source.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def made(self, **options: Any) -> BatchReport:
        settings = Settings(
            serve_corpora={"other": self.folder / "missing"},  # is for rarr serve alone
            model="rules",
            reranker="overlap",
            corpus=self.folder / "corpus",
            home=self.folder / "home",
            trace=False,
        )
        return revise_file(self.source, self.out, settings=settings, workers=0, **options)

    def results(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.read_text().splitlines()]


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    made = Batch(tmp_path)

    class Watched(InProcess):
        async def run(self, job: Job, on_step: Any = None) -> Any:
            made.ran.append(job.text)
            return await super().run(job, on_step)

    monkeypatch.setattr(batch_runner, "InProcess", Watched)
    return made
