"""Which tests no job of a CI run has run."""

import json
from pathlib import Path

import pytest
from outcomes import main

FIRST = {"a.py::test_slow": "needs --slow", "b.py": "could not import 'torch'", "c.py::test": ""}
SECOND = {"a.py::test_slow": "", "b.py::test_training": ""}
LEFT = "no job ran a.py::test_slow: needs --slow\nno job ran b.py: could not import 'torch'"


@pytest.mark.parametrize(("runs", "left"), [([FIRST, SECOND], ""), ([FIRST], LEFT), ([], "no outcomes to")])
def test_test_or_file_that_is_skipped_in_all_runs_is_named(
    runs: list[dict[str, str]], left: str, tmp_path: Path
) -> None:
    for number, run in enumerate(runs):
        (tmp_path / str(number)).write_text(json.dumps(run))
    told = main(str(tmp_path / str(number)) for number in range(len(runs)))
    assert told == left or (not runs and told.startswith(left))
