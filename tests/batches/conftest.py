"""Gives each test of batches a folder of its own, with a corpus and an input."""

import asyncio
import json
import os
import signal
from pathlib import Path
from typing import Any

import pytest

from rarr import Settings
from rarr.batches import file_batch
from rarr.batches.jobs import InProcessRunner, Job, JobResult
from rarr.batches.results import BatchCounts
from rarr.records import Passage

RIGHT, WRONG = "The Hoover Dam is 221 metres high.", "The Hoover Dam is 212 metres high."


class Batch:
    """A folder with a corpus and an input. `ran` are the texts that its batches worked on."""

    def __init__(self, folder: Path) -> None:
        self.folder, self.source, self.out = folder, folder / "in.jsonl", folder / "out.jsonl"
        (folder / "corpus").mkdir()
        (folder / "corpus" / "dam.md").write_text(f"# Hoover Dam\n\n{RIGHT}\n")
        self.ran: list[str] = []

    def rows(self, *rows: dict[str, Any]) -> None:
        self.source.write_text("".join(json.dumps(row) + "\n" for row in rows))

    def settings(self, **more: Any) -> Settings:
        places = {"corpus": self.folder / "corpus", "home": self.folder / "home"}
        return Settings(**(places | more))

    def revise(self, settings: Settings | None = None, **options: Any) -> BatchCounts:
        options = {"workers": 0, "settings": settings or self.settings(), **options}
        return file_batch.revise_file(self.source, self.out, **options)

    def results(self) -> list[dict[str, Any]]:
        return [json.loads(line) for line in self.out.read_text().splitlines()]


class KillingSource:
    """A source that kills the process that asks about a name: at most twice for `Orrel=2`.

    A search takes `seconds` and finds nothing. The source kills after half of this time.
    """

    def __init__(self, folder: Path, seconds: float = 0, **kills: int) -> None:
        self.folder, self.seconds, self.kills = folder, seconds, kills

    async def retrieve(self, query: str, k: int) -> list[Passage]:
        await asyncio.sleep(self.seconds / 2)
        for name, most in self.kills.items():
            killed = len(list(self.folder.glob(f"{name}.*")))
            if name in query and killed < most:
                (self.folder / f"{name}.{killed}").touch()
                os.kill(os.getpid(), signal.SIGKILL)
        await asyncio.sleep(self.seconds / 2)
        return []


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Batch:
    folder = Batch(tmp_path)

    class Watched(InProcessRunner):
        async def run(self, job: Job) -> JobResult:
            folder.ran.append(job.text)
            return await super().run(job)

    monkeypatch.setattr(file_batch, "InProcessRunner", Watched)
    return folder


def require_only_the_killer_fails(batch: Batch, **options: Any) -> None:
    """Rows that end their process run once more; a row that ends it twice costs no other row its result."""
    killers = ("The Orrel Dam is 212 metres high.", "The Arden Dam is 212 metres high.")
    batch.rows(*({"text": text} for text in (RIGHT, *killers, WRONG)))
    settings = batch.settings(search=["corpus", KillingSource(batch.folder, Orrel=2, Arden=1)], trace=False)
    counts = batch.revise(settings, **options)
    first, killer, once, last = before = batch.results()
    assert (counts.rows, counts.errors, once["rarr_error"]) == (4, 1, None)
    assert "ended twice" in killer["rarr_error"]
    assert (first["rarr_text"], last["rarr_text"]) == (RIGHT, RIGHT)
    assert sorted(path.name for path in batch.folder.glob("*.[01]")) == ["Arden.0", "Orrel.0", "Orrel.1"]
    assert batch.revise(settings, **options).errors == 0
    after = batch.results()
    assert [after[n]["rarr_run_id"] for n in (0, 3)] == [before[n]["rarr_run_id"] for n in (0, 3)]
