"""Rows run in actors of a Ray cluster by `rarr batch --ray`, as they run elsewhere."""

import json
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

from rarr.batches import revise_file
from rarr.batches.results import BatchCounts

__all__ = ["cluster"]
pytestmark = MARKS


def given(folder: Path, *texts: str) -> Path:
    (folder / "in.jsonl").write_text("".join(json.dumps({"text": text}) + "\n" for text in texts))
    return folder / "in.jsonl"


def on_cluster(cluster: Any, folder: Path, *texts: str, **options: Any) -> BatchCounts:
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
    found, same = (
        [{name: row[name] for name in row.keys() - OWN} for row in results(path)]
        for path in (tmp_path / "out.jsonl", here)
    )
    assert found == same
    assert [row["rarr_text"] for row in found] == [RIGHT, None, RIGHT]
    assert found[1]["rarr_error"] == BAD_TEXT


def test_rows_of_killed_actors_are_done_again_and_one_that_kills_twice_has_an_error(
    cluster: Any, tmp_path: Path
) -> None:
    texts = (WRONG, DEADLY, DEADLY_ONCE, RIGHT)
    search = ["corpus", deadly(tmp_path, Orrel=2, Arden=1)]
    report = on_cluster(cluster, tmp_path, *texts, search=search)
    _, killer, once, _ = results(tmp_path / "out.jsonl")
    assert (report.rows, report.errors) == (4, 1)
    assert "ended twice" in killer["rarr_error"] and once["rarr_error"] is None
    assert (kills_in(tmp_path, "Orrel"), kills_in(tmp_path, "Arden")) == (2, 1)
    assert on_cluster(cluster, tmp_path, *texts, search=search).errors == 0
