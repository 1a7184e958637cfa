"""Which tests no job of a CI run has run."""

import json
from pathlib import Path

from outcomes import main, never_run


def test_run_by_another_job_counts_as_run() -> None:
    first = {"a.py::test_slow": "needs --slow", "b.py": "could not import 'torch'", "c.py::test": ""}
    second = {"a.py::test_slow": "", "b.py::test_training": ""}
    assert never_run([first, second]) == {}
    assert list(never_run([first])) == ["a.py::test_slow", "b.py"]


def test_file_skipped_by_one_job_and_collected_by_no_other_is_named(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(json.dumps({"a.py": "could not import 'torch'", "c.py::test": ""}))
    assert main([str(tmp_path / "one")]) == "no job ran a.py: could not import 'torch'"
