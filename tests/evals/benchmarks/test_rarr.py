"""Tests the comparison of RARR with its baselines, by a scripted model."""

from pathlib import Path

import pytest

from evals.benchmarks.running import run
from evals.doubles import write_rows
from rarr.errors import InputError, SettingsError
from rarr.testing import RuleModel, ScriptedModel

NEVADA = "Hoover Dam is in Nevada."
DAM = f"Hoover Dam is 221 metres high. {NEVADA}"
ROWS = [
    {"id": "wrong", "text": DAM.replace("221", "212"), "evidence": [DAM], "revised": DAM},
    {"id": "right", "text": NEVADA, "evidence": [DAM], "revised": NEVADA},
    {"id": "asked", "question": "How high is Hoover Dam?", "evidence": [DAM]},
]

MODEL = ScriptedModel(RuleModel(), name="scripted")


def test_systems_are_compared_on_the_same_texts(tmp_path: Path) -> None:
    data, systems = write_rows(tmp_path / "rows.jsonl", *ROWS), ("default", "rarr", "unedited")
    report = run("rarr", data, out=tmp_path / "out", model=MODEL, judges=systems)
    assert (report.errors, report.counts) == ((), {"texts": 3})
    [measures, differences] = report.tables.values()
    assert list(measures) == list(systems)
    after = {name: row["attribution_after"].value for name, row in measures.items()}
    assert after["default"] == after["rarr"] == 1.0
    assert (after["unedited"] or 0) < 1
    assert [row["right_changed"].value for row in measures.values()] == [0.0] * 3
    assert [row["intent_kept"].value for row in measures.values()] == [1.0] * 3
    assert list(differences) == ["rarr", "unedited"]
    assert (differences["rarr"]["requests"].value or 0) > 0
    assert run("rarr", data, out=tmp_path / "out", model=MODEL, judges=systems) == report


def test_wrong_calls_end_before_anything_is_spent(tmp_path: Path) -> None:
    data = write_rows(tmp_path / "rows.jsonl", *ROWS)
    with pytest.raises(InputError, match="system 'purr' is unknown: give purr:FOLDER, default"):
        run("rarr", data, out=tmp_path / "out", model=MODEL, judges=("purr",))
    with pytest.raises(SettingsError, match="needs a language model"):
        run("rarr", data, out=tmp_path / "out")
    write_rows(data, {"id": "empty"})
    with pytest.raises(InputError, match='it has neither a "text" nor a "question"'):
        run("rarr", data, out=tmp_path / "out", model=MODEL)
