"""Data sets of Ray Data get the columns of `rarr batch`, whatever happens to their rows and actors."""

import json
import re
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

from rarr import Settings
from rarr.batches import revise_file
from rarr.batches.column_mapping import Columns
from rarr.errors import InputError
from rarr.integrations.ray import revise
from rarr.testing import RuleModel, ScriptedServer

__all__ = ["cluster"]
pytestmark = [*MARKS, pytest.mark.usefixtures("cluster")]

ROOT = Path(__file__).parents[3]
GUIDE = ROOT / "docs" / "guides" / "batch.md"
OPENED = "The Orrel Bridge opened in 1936."
OPENED_WRONG = OPENED.replace("1936", "1932")
ROWS = [{"n": 0, "answer": WRONG}, {"n": 1, "answer": ""}, {"n": 2, "answer": RIGHT}]


def given(rows: list[dict[str, Any]]) -> Any:
    import ray.data

    ray.data.DataContext.get_current().enable_progress_bars = False
    return ray.data.from_items(rows)


def texts(*given_texts: str) -> list[dict[str, Any]]:
    return [{"n": number, "text": text} for number, text in enumerate(given_texts)]


def taken(dataset: Any) -> list[dict[str, Any]]:
    return sorted(dataset.take_all(), key=lambda row: int(row["n"]))


def edits_of(row: dict[str, Any]) -> dict[str, Any]:
    """The row with the edits of its record, without the names of runs."""
    record = json.loads(row["rarr_revision"] or "{}")
    return {name: row[name] for name in row.keys() - OWN - {"rarr_revision"}} | {"edits": record.get("edits")}


def test_parquet_gets_what_rarr_batch_writes(tmp_path: Path) -> None:
    import pyarrow.parquet
    import ray.data

    source, out, settings = tmp_path / "in.parquet", tmp_path / "out.parquet", settings_in(tmp_path)
    pyarrow.parquet.write_table(pyarrow.Table.from_pylist(ROWS), source)
    revised = revise(ray.data.read_parquet(str(source)), settings, text="answer", full=True, concurrency=1)
    found = taken(revised)
    revise_file(source, out, settings=settings, columns=Columns("answer"), full=True, workers=0)
    same = pyarrow.parquet.read_table(out)
    assert revised.schema().base_schema.equals(same.schema)
    assert [edits_of(row) for row in found] == [edits_of(row) for row in same.to_pylist()]
    assert [row["rarr_text"] for row in found] == [RIGHT, None, RIGHT]
    assert found[1]["rarr_error"] == BAD_TEXT.replace("text'", "answer'")


def test_lines_of_json_and_hugging_face_data_sets_are_read(tmp_path: Path) -> None:
    import datasets
    import ray.data

    (tmp_path / "in.jsonl").write_text("".join(json.dumps(row) + "\n" for row in ROWS[:1]))
    lines = ray.data.read_json(str(tmp_path / "in.jsonl"))
    both = lines.union(ray.data.from_huggingface(datasets.Dataset.from_list(ROWS[1:])))
    found = taken(revise(both, settings_in(tmp_path), text="answer", concurrency=1))
    assert [row["rarr_text"] for row in found] == [RIGHT, None, RIGHT]


def test_rows_of_killed_actors_are_done_again_and_one_that_kills_twice_has_an_error(tmp_path: Path) -> None:
    settings = settings_in(tmp_path, search=["corpus", deadly(tmp_path, Orrel=9, Arden=1)])
    rows = texts(WRONG, DEADLY, DEADLY_ONCE, RIGHT)
    first, killer, once, last = taken(revise(given(rows), settings, concurrency=(1, 2)))
    assert "ended 2 times" in killer["rarr_error"] and killer["rarr_text"] is None
    assert (first["rarr_text"], once["rarr_error"], last["rarr_text"]) == (RIGHT, None, RIGHT)
    assert (kills_in(tmp_path, "Orrel"), kills_in(tmp_path, "Arden")) == (2, 1)


def test_language_model_is_asked_at_its_address(tmp_path: Path) -> None:
    (tmp_path / "bridge.md").write_text(f"# Orrel Bridge\n\n{OPENED} Ida Lunde designed it.")
    with ScriptedServer(RuleModel(), models=("one",)) as server:
        settings = Settings(
            model="vllm:one",
            base_url=server.url,
            api_key="sk-hidden",
            corpus=tmp_path / "bridge.md",
            home=tmp_path / "home",
        )
        revised = revise(given(texts(OPENED_WRONG, OPENED)), settings)
        assert "sk-hidden" not in f"{revised!r}{revised}"
        found = taken(revised)
    assert [row["rarr_text"] for row in found] == [OPENED, OPENED]
    assert found[0]["rarr_model_calls"] and not (tmp_path / "home" / "traces.sqlite").exists()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({"text": "reply"}, "no column 'reply': give one of 'n', 'text' as text"),
        ({"concurrency": (3, 1)}, r"concurrency is \(3, 1\): give the number of actors"),
        ({"concurrency": 0}, "concurrency is 0: give the number of actors"),
        ({"batch_size": 0}, "batch_size is 0: give the number of rows"),
        ({"concurrency": 4}, "4 actors with 1 cores each take too many of the 4 cores"),
        ({"concurrency": (2, 8), "num_cpus": 2}, "2 actors with 2 cores each take too many of the 4 cores"),
    ],
)
def test_wrong_call_is_refused_before_anything_runs(options: dict[str, Any], message: str) -> None:
    with pytest.raises(InputError, match=message):
        revise(given(texts(RIGHT)), **options)


@pytest.mark.filterwarnings("ignore:The minimum number of concurrent actors")  # for no row at all
def test_example_of_the_guide_continues_from_its_checkpoint(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    import pyarrow.parquet
    import ray.data

    (tmp_path / "examples").symlink_to(ROOT / "examples")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("RARR_HOME", str(tmp_path / "home"))
    [example] = re.findall(r"^```py\n(.*?)^```$", GUIDE.read_text(encoding="utf-8"), re.DOTALL | re.MULTILINE)
    ran: list[list[str]] = []
    try:
        for _ in range(2):
            exec(compile(example, str(GUIDE), "exec"), {})
            ran.append(pyarrow.parquet.read_table("revised").column("rarr_run_id").to_pylist())
    finally:
        ray.data.DataContext.get_current().checkpoint_config = None
    assert len(ran[0]) == 4 and sorted(ran[0]) == sorted(ran[1])


def test_another_data_set_is_refused() -> None:
    with pytest.raises(InputError, match=r"dataset is a list: give a ray.data.Dataset"):
        revise([{"text": RIGHT}])
