"""A pool whose processes do not start ends what has started, and says why."""

import asyncio
from pathlib import Path

import pytest

from rarr import Settings
from rarr.errors import SetupError
from rarr.records import Record
from rarr.serve import workers
from rarr.serve.fallback_records import original
from rarr.serve.job_and_runner import Job, OnStep, WorkerLostError
from rarr.serve.workers import WorkerPool


class Starts:
    """Stands in for `Worker`: its processes end while they start, as often as `lost` says."""

    def __init__(self, lost: int) -> None:
        self.lost, self.made, self.ended = lost, 0, 0
        self.is_alive = True

    def __call__(self, settings: Settings) -> "Starts":
        self.made += 1
        return self

    def wait_ready(self) -> None:
        if self.lost:
            self.lost -= 1
            raise WorkerLostError

    def run(self, job: Job, on_step: OnStep) -> Record:
        return original(job, "finished", "done")

    def end(self) -> None:
        self.ended += 1


async def test_process_that_ends_while_it_starts_is_started_again(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = Starts(lost=1)
    monkeypatch.setattr(workers, "Worker", starts)
    pool = WorkerPool(Settings(), 2)
    await pool.start()
    assert (starts.made, starts.ended, pool.ready()) == (3, 1, True)
    await pool.aclose()


async def test_pool_that_cannot_start_leaves_no_process(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = Starts(lost=9)
    monkeypatch.setattr(workers, "Worker", starts)
    with pytest.raises(SetupError, match="ended 2 times while it started"):
        await WorkerPool(Settings(), 2).start()
    assert starts.made == starts.ended == 4


async def test_job_fails_while_no_process_can_be_replaced(monkeypatch: pytest.MonkeyPatch) -> None:
    starts = Starts(lost=0)
    monkeypatch.setattr(workers, "Worker", starts)
    monkeypatch.setattr(workers, "_PAUSE_S", 0)
    pool, job = WorkerPool(Settings(), 1), Job("revise", "text", "r1")
    await pool.start()
    starts.lost, starts.is_alive = 1_000_000, False
    with pytest.raises(SetupError, match="ended 3 times while it started"):
        await asyncio.gather(pool.run(job), pool.run(job))
    with pytest.raises(SetupError, match="while it started"):
        await pool.run(job)  # at once, until a process has started
    starts.lost, starts.is_alive = 0, True
    await asyncio.gather(*pool._tasks)  # the replacement
    assert await pool.run(job) == original(job, "finished", "done")
    await pool.aclose()


@pytest.mark.slow
async def test_real_processes_end_when_one_cannot_be_built(tmp_path: Path) -> None:
    pool = WorkerPool(Settings(home=tmp_path, corpus=tmp_path / "none"), 2)
    with pytest.raises(Exception, match="cannot be read"):
        await pool.start()
    assert not pool.pids and not pool.ready()
