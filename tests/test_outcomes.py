"""Which tests no job of a CI run has run."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest
from outcomes import main, never_run

HERE = Path(__file__).parent
CONFTEST = """
from pathlib import Path
from outcomes import Outcomes

def pytest_configure(config):
    config.pluginmanager.register(Outcomes({}))
"""

TESTS = """
import pytest

def test_runs(): pass

@pytest.mark.skip(reason="needs --slow")
def test_is_skipped(): pass

@pytest.fixture
def unset(): pytest.skip("needs a server")

def test_is_skipped_by_a_fixture(unset): pass
"""


def test_run_by_another_job_counts_as_run() -> None:
    first = {"a.py::test_slow": "needs --slow", "b.py": "could not import 'torch'", "c.py::test": ""}
    second = {"a.py::test_slow": "", "b.py::test_training": ""}
    assert never_run([first, second]) == {}
    assert list(never_run([first])) == ["a.py::test_slow", "b.py"]


def test_file_skipped_by_one_job_and_collected_by_no_other_is_named(tmp_path: Path) -> None:
    (tmp_path / "one").write_text(json.dumps({"a.py": "could not import 'torch'", "c.py::test": ""}))
    assert main([str(tmp_path / "one")]) == "no job ran a.py: could not import 'torch'"


@pytest.mark.slow
def test_outcomes_are_written_and_run_tests_are_deselected_next_time(tmp_path: Path) -> None:
    (tmp_path / "test_one.py").write_text(TESTS)
    (tmp_path / "test_two.py").write_text("import pytest; pytest.importorskip('no_such_module')")
    for given, summary in (("Path('out')", "1 passed"), ("None, Path('out')", "1 deselected")):
        (tmp_path / "conftest.py").write_text(CONFTEST.format(given))
        environment = os.environ | {"PYTHONPATH": str(HERE), "PYTEST_DISABLE_PLUGIN_AUTOLOAD": "1"}
        call = [sys.executable, "-m", "pytest", "--rootdir", str(tmp_path)]
        done = subprocess.run(
            call, cwd=tmp_path, env=environment, capture_output=True, text=True, check=False
        )
        assert summary in done.stdout, done.stderr
    reasons = json.loads((tmp_path / "out").read_text())
    assert reasons.pop("test_two.py").startswith("could not import 'no_such_module'")
    assert reasons == {
        "test_one.py::test_runs": "",
        "test_one.py::test_is_skipped": "needs --slow",
        "test_one.py::test_is_skipped_by_a_fixture": "needs a server",
    }
