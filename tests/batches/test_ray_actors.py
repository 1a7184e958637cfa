"""`rarr batch --ray` gives the rows to actors of a cluster, and keeps what a batch promises."""

import asyncio
import json
import os
import shutil
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from typing import Any

import pytest
from ray_clusters import (
    BAD_TEXT,
    DEADLY,
    DEADLY_ONCE,
    MARKS,
    OWN,
    RIGHT,
    WRONG,
    cluster,
    deadly,
    kills_in,
    settings_in,
)

from rarr.batches import ray_actors
from rarr.batches.batch_runner import BatchRunner
from rarr.batches.file_batch import BatchReport, revise_file
from rarr.errors import InputError, SetupError
from rarr.records import Passage
from rarr.testing import RuleModel, ScriptedServer

__all__ = ["cluster"]
pytestmark = MARKS


def given(folder: Path, *texts: str) -> Path:
    (folder / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return folder / "in.jsonl"


def on_cluster(cluster: Any, folder: Path, *texts: str, **options: Any) -> BatchReport:
    out, settings = folder / "out.jsonl", settings_in(folder, **options)
    return revise_file(given(folder, *texts), out, settings=settings, workers=2, ray=cluster.address)


def results(path: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in path.read_text().splitlines()]


def test_results_equal_those_of_this_process(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)  # the nodes work in another folder
    texts, here, corpus = (WRONG, "", RIGHT), tmp_path / "here.jsonl", "corpus"
    on_cluster(cluster, tmp_path, *texts, corpus=corpus)
    revise_file(tmp_path / "in.jsonl", here, settings=settings_in(tmp_path, corpus=corpus), workers=0)
    found, same = results(tmp_path / "out.jsonl"), results(here)
    assert [row.keys() for row in found] == [row.keys() for row in same]
    assert [{name: row[name] for name in row.keys() - OWN} for row in found] == [
        {name: row[name] for name in row.keys() - OWN} for row in same
    ]
    assert [row["rarr_text"] for row in found] == [RIGHT, None, RIGHT]
    assert found[1]["rarr_error"] == BAD_TEXT


def test_rows_of_killed_actors_are_done_again_and_one_that_kills_twice_has_an_error(
    cluster: Any, tmp_path: Path
) -> None:
    texts, options = (
        (WRONG, DEADLY, DEADLY_ONCE, RIGHT),
        {"search": ["corpus", deadly(tmp_path, Orrel=2, Arden=1)]},
    )
    report = on_cluster(cluster, tmp_path, *texts, **options)
    first, killer, once, last = results(tmp_path / "out.jsonl")
    assert (report.counts.rows, report.counts.errors) == (4, 1)
    assert "ended 2 times" in killer["rarr_error"] and once["rarr_error"] is None
    assert (kills_in(tmp_path, "Orrel"), kills_in(tmp_path, "Arden")) == (2, 1)
    assert on_cluster(cluster, tmp_path, *texts, **options).counts.errors == 0  # it repeats that row alone
    names = [row["rarr_run_id"] for row in results(tmp_path / "out.jsonl")]
    assert [names[0], *names[2:]] == [row["rarr_run_id"] for row in (first, once, last)]


def deadly_to_all(folder: Path) -> Any:
    """A source that kills its process twice because of Arden: the first time when two others are searched."""

    def count(name: str) -> int:
        return len(list(folder.glob(f"{name}.*")))

    def wait_for(name: str, number: int) -> None:
        while count(name) < number:
            time.sleep(0.01)

    async def search(query: str) -> None:
        if "Arden" not in query:
            (folder / f"begun.{query.count('Calder')}").touch()
            await asyncio.to_thread(wait_for, "kill", 1)
        elif count("kill") < 2:
            await asyncio.to_thread(wait_for, "begun", 2)
            (folder / f"kill.{count('kill')}").touch()
            os.kill(os.getpid(), 9)

    class Deadly:
        async def retrieve(self, query: str, k: int) -> list[Passage]:
            await search(query)
            return []

    return Deadly()


def test_row_that_kills_an_actor_costs_no_other_row_of_the_actor_its_result(
    cluster: Any, tmp_path: Path
) -> None:
    texts = [f"The {name} Bridge opened in 1932." for name in ("Arden", "Calder", "Dovey")]
    with ScriptedServer(RuleModel(), models=("one",)) as server:
        settings = settings_in(
            tmp_path,
            model="vllm:one",
            base_url=server.url,
            concurrency=3,
            search=["corpus", deadly_to_all(tmp_path)],
        )
        source, out = given(tmp_path, *texts), tmp_path / "out.jsonl"
        report = revise_file(source, out, settings=settings, ray=cluster.address)
    assert kills_in(tmp_path, "kill") == 2 and report.counts.errors == 1
    killer, *others = results(out)
    assert "ended 2 times" in killer["rarr_error"]
    assert [row["rarr_outcome"] for row in others] == ["finished", "finished"]


async def test_start_that_is_cancelled_leaves_no_task(cluster: Any, tmp_path: Path) -> None:
    before = asyncio.all_tasks()
    runner = BatchRunner(settings_in(tmp_path), {"mode": "revise"}, 2, cluster.address)
    starting = asyncio.create_task(runner.__aenter__())
    while len(asyncio.all_tasks() - before) < 3:  # noqa: ASYNC110  # `starting`, and a task for each actor
        await asyncio.sleep(0.01)
    starting.cancel()
    with suppress(asyncio.CancelledError):
        await starting
    assert asyncio.all_tasks() == before


@pytest.mark.parametrize(
    ("address", "message"),
    [
        ("127.0.0.1:9", r"no Ray cluster at 127.0.0.1:9 \(Connection refused\): give the HOST:PORT"),
        ("here", "here is not the address of a Ray cluster: give the HOST:PORT"),
    ],
)
def test_address_without_a_cluster_is_refused_and_leaves_nothing(
    address: str, message: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ray.is_initialized", lambda: False)  # the cluster of the other tests
    source, out = given(tmp_path, WRONG), tmp_path / "out.jsonl"
    with pytest.raises(InputError, match=message):
        revise_file(source, out, settings=settings_in(tmp_path), ray=address)
    assert not list(tmp_path.glob("out*"))


def test_actors_that_cannot_build_a_reviser_end_the_run_with_its_reason(cluster: Any, tmp_path: Path) -> None:
    with pytest.raises(InputError, match="weights"):
        on_cluster(cluster, tmp_path, WRONG, model="embedded", weights=tmp_path / "none")


def test_cluster_without_a_free_core_is_waited_for_a_while(
    cluster: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import ray

    class Busy:
        def begin(self) -> None:
            pass

    monkeypatch.setattr(ray_actors, "PLACE_S", 1.0)
    busy = [ray.remote(Busy).options(num_cpus=2).remote() for _ in range(2)]
    ray.get([each.begin.remote() for each in busy])
    with pytest.raises(
        SetupError, match=r"no actor found a core .* in 1 s \(0 of 4 are free\): end other work"
    ):
        on_cluster(cluster, tmp_path, WRONG)
    for each in busy:
        ray.kill(each)
    monkeypatch.setattr(ray_actors, "PLACE_S", 60.0)
    assert on_cluster(cluster, tmp_path, WRONG).counts.changed == 1


def test_rows_fail_when_no_actor_can_be_started_again(cluster: Any, tmp_path: Path) -> None:
    def end() -> None:
        shutil.rmtree(tmp_path / "corpus", ignore_errors=True)
        os.kill(os.getpid(), 9)

    class Deadly:
        async def retrieve(self, query: str, k: int) -> list[Passage]:
            end()
            return []

    report = on_cluster(cluster, tmp_path, WRONG, RIGHT, search=["corpus", Deadly()])
    assert report.counts.errors == 2
    assert {"corpus" in row["rarr_error"] for row in results(tmp_path / "out.jsonl")} == {True}


def test_lines_of_ray_stay_out_of_standard_output(cluster: Any) -> None:
    program = (
        "import sys; from rarr.batches.ray_cluster import connect; connect(sys.argv[1])\n"
        "import ray; line = {'lines': ['lost'], 'pid': 'raylet', 'is_err': False}\n"
        "ray._private.worker.print_to_stdstream(line, ignore_prefix=False)\n"
        "print(ray._common.usage.usage_lib.usage_stats_enabled())"
    )
    call = [sys.executable, "-c", program, cluster.address]
    done = subprocess.run(call, capture_output=True, text=True, timeout=60, check=True)
    assert done.stdout == "False\n"  # no report of its use either


def command(folder: Path, address: str) -> "subprocess.CompletedProcess[str]":
    settings = settings_in(folder)
    chosen = {"RARR_MODEL": "embedded", "RARR_CORPUS": str(settings.corpus), "RARR_HOME": str(settings.home)}
    argv = [
        "batch",
        str(given(folder, WRONG)),
        "-o",
        str(folder / "out.jsonl"),
        "--ray",
        address,
        "--workers",
        "1",
    ]
    call = [sys.executable, "-m", "rarr", *argv]
    return subprocess.run(call, env=os.environ | chosen, capture_output=True, text=True, timeout=120)


def test_command_line_uses_a_cluster_or_starts_its_own(cluster: Any, tmp_path: Path) -> None:
    for address in (cluster.address, "local"):
        (tmp_path / address).mkdir()
        done = command(tmp_path / address, address)
        line = "1 row in {}: 1 changed, 0 with sentences that are not supported\n"
        assert done.stderr == "rarr: " + line.format(tmp_path / address / "out.jsonl")
        assert (done.returncode, results(tmp_path / address / "out.jsonl")[0]["rarr_text"]) == (0, RIGHT)
