"""Which tests no job of a CI run has run."""

import json
from pathlib import Path

from outcomes import main


def test_test_or_file_that_is_skipped_in_all_runs_is_named(tmp_path: Path) -> None:
    slow, training = {"a.py::test_slow": "needs --slow"}, {"b.py": "could not import 'torch'"}
    (first := tmp_path / "1").write_text(json.dumps(slow | training | {"c.py::test": ""}))
    (second := tmp_path / "2").write_text(json.dumps({"a.py::test_slow": "", "b.py::test_training": ""}))
    left = "no job ran a.py::test_slow: needs --slow\nno job ran b.py: could not import 'torch'"
    assert (main([str(first), str(second)]), main([str(first)])) == ("", left)
    assert main([]).startswith("no outcomes to")
