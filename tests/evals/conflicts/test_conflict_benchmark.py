"""`bench_conflicts` with models that only remember, only copy, or fail; and the rows that ship."""

import json
from pathlib import Path
from typing import Any

import pytest

from rarr.errors import InputError, SettingsError
from rarr.evals.conflicts.conflict_benchmark import ConflictOptions, bench_conflicts
from rarr.evals.conflicts.conflict_report import ConflictReport
from rarr.evals.metrics import memorisation_ratio
from rarr.settings import Settings
from rarr.testing import ScriptedModel
from rarr.testing.scripted_model import Asked

QUESTIONS = [
    {
        "id": "novel",
        "question": "who wrote The Salt Road",
        "answers": ["Ida Lunde", "I. Lunde"],
        "passage": "The Salt Road is a novel by Ida Lunde.",
    },
    {
        "id": "song",
        "question": "who wrote Green Ice",
        "answers": ["Tom Berg", "T. Berg"],
        "passage": "Green Ice is a song by Tom Berg.",
    },
]
MEMORY = {"Salt Road": "Ida Lunde", "Green Ice": "Tom Berg"}
NAMES = ("Ida Lunde", "I. Lunde", "Tom Berg", "T. Berg")


def remembering(asked: Asked) -> dict[str, Any]:
    """Answers from memory whatever the passage says."""
    return {"answer": next(answer for title, answer in MEMORY.items() if title in asked.messages[-1].content)}


def copying(asked: Asked) -> dict[str, Any]:
    """Copies the name in the passage, and knows nothing without one."""
    found = [name for name in NAMES if name in asked.messages[-1].content]
    return {"answer": found[0] if found else "not known"}


def bench(tmp_path: Path, model: Any, **options: Any) -> ConflictReport:
    data = tmp_path / "qa.jsonl"
    data.write_text("".join(f"{json.dumps(row)}\n" for row in QUESTIONS))
    settings = Settings(model=model, home=tmp_path / "home")
    return bench_conflicts(data, tmp_path / "out", settings=settings, options=ConflictOptions(**options))


def test_ratio_of_counts() -> None:
    assert memorisation_ratio(3, 1).value == 0.75
    assert memorisation_ratio(0, 0).value is None


def test_model_that_remembers_has_ratio_1(tmp_path: Path) -> None:
    counts = bench(tmp_path, ScriptedModel(remembering), role="reader").counts["corpus"]
    assert (counts.original, counts.substitute, counts.other) == (2, 0, 0)
    assert (counts.ratio.value, counts.remembered) == (1, 2)


def test_model_that_copies_has_ratio_0(tmp_path: Path) -> None:
    counts = bench(tmp_path, ScriptedModel(copying), role="reader").counts["corpus"]
    assert (counts.original, counts.substitute, counts.other) == (0, 2, 0)
    assert (counts.ratio.value, counts.remembered) == (0, 0)


def test_aliases_never_count_as_memory(tmp_path: Path) -> None:
    report = bench(tmp_path, ScriptedModel(remembering), role="reader", policies=("alias",))
    assert report.counts["alias"].ratio.value is None
    assert report.counts["alias"].other == 0
    assert "all conflicts" not in report.counts


def test_rows_wrong_on_the_original_are_left_out_and_counted(tmp_path: Path) -> None:
    model = ScriptedModel(lambda asked: {"answer": "Ida Lunde"})
    counts = bench(tmp_path, model, role="reader", policies=("corpus",)).counts["corpus"]
    assert (counts.cases, counts.wrong, counts.original + counts.substitute + counts.other) == (2, 1, 1)


def test_same_seed_writes_the_same_conflicts(tmp_path: Path) -> None:
    bench(tmp_path, ScriptedModel(copying), role="reader")
    first = (tmp_path / "out" / "conflicts.jsonl").read_bytes()
    (tmp_path / "again").mkdir()
    bench(tmp_path / "again", ScriptedModel(copying), role="reader")
    assert (tmp_path / "again" / "out" / "conflicts.jsonl").read_bytes() == first


def test_second_call_asks_nothing_again(tmp_path: Path) -> None:
    report = bench(tmp_path, ScriptedModel(copying), role="reader")
    silent = ScriptedModel(lambda asked: {"answer": "nothing"})
    assert bench(tmp_path, silent, role="reader") == report
    assert silent.calls == []


def test_other_options_in_the_folder_are_refused(tmp_path: Path) -> None:
    bench(tmp_path, ScriptedModel(copying), role="reader")
    with pytest.raises(InputError, match="another folder"):
        bench(tmp_path, ScriptedModel(copying), role="reader", seed=2)


def test_failure_is_an_error_and_no_bucket(tmp_path: Path) -> None:
    report = bench(tmp_path, ScriptedModel({"nothing": "fits"}), role="reader", policies=("corpus",))
    assert len(report.errors) == 2
    assert report.counts["corpus"].cases == 0


def test_embedded_default_cannot_read(tmp_path: Path) -> None:
    with pytest.raises(SettingsError, match="answers no questions: name a language model"):
        bench(tmp_path, "embedded", role="reader")


def test_default_follows_the_passage(tmp_path: Path) -> None:
    counts = bench(tmp_path, "embedded", policies=("corpus",)).counts["corpus"]
    assert (counts.wrong, counts.original) == (0, 0)
    assert counts.substitute == 2


BRIDGE = {
    "question": "Was the Oru bridge opened before 1940?",
    "memory_answer": "The Oru bridge opened to traffic in 1937.",
    "parametric_memory_aligned_evidence": "The Oru bridge opened to traffic in 1937, before two mayors.",
    "counter_answer": "The Oru bridge opened to traffic in 1952.",
    "counter_memory_aligned_evidence": "The Oru bridge opened to traffic in 1952.",
}


def bench_pair(tmp_path: Path, role: Any) -> ConflictReport:
    data = tmp_path / "conflictqa.jsonl"
    data.write_text(json.dumps(BRIDGE))
    settings, options = Settings(home=tmp_path / "home"), ConflictOptions(role=role)
    return bench_conflicts(data, tmp_path / "out", settings=settings, options=options)


def test_default_follows_the_evidence_of_the_other_statement(tmp_path: Path) -> None:
    report = bench_pair(tmp_path, "reviser")
    assert [*report.counts] == ["all conflicts", "given"]
    counts = report.counts["given"]
    assert (counts.cases, counts.wrong, counts.original, counts.substitute) == (1, 0, 0, 1)


def test_reader_of_statements_is_refused(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="test a reviser"):
        bench_pair(tmp_path, "reader")
