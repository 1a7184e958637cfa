"""What became of each test, written to a file; and of several files, which tests ran in none of their runs.

    python -m pytest --outcomes=FIRST
    python -m pytest --slow --left-by=FIRST --outcomes=SECOND
    python tests/outcomes.py FIRST SECOND

The last command fails where a test was skipped in all of these runs, unless it is for another system.
"""

import json
import re
import sys
from collections.abc import Iterable
from pathlib import Path

import pytest

ELSEWHERE = re.compile(r"needs --live|root may|this system has no|there (?:is|are) no forks?|BENCHMARK_DATA")
"""Reasons why a test cannot run on this machine: another system, user or network, or others' data."""


class Outcomes:
    """A plugin of pytest: it writes to `path` why each test was skipped, an empty reason for one that ran.

    `left_by`, such a file of another run, has the tests left out that ran there.
    """

    def __init__(self, path: Path | None, left_by: Path | None = None) -> None:
        self._path, self._reasons = path, dict[str, str]()
        before = json.loads(left_by.read_text()) if left_by else {}
        self._done = {name for name, reason in before.items() if not reason}

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        config.hook.pytest_deselected(items=[item for item in items if item.nodeid in self._done])
        items[:] = [item for item in items if item.nodeid not in self._done]

    def pytest_runtest_logreport(self, report: pytest.TestReport | pytest.CollectReport) -> None:
        if report.skipped and not hasattr(report, "wasxfail"):  # what fails as expected did run
            reason = report.longrepr[2] if isinstance(report.longrepr, tuple) else report.longrepr
            self._reasons[report.nodeid] = str(reason).removeprefix("Skipped: ") or "no reason"
        elif report.when == "call":
            self._reasons[report.nodeid] = ""

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:  # a whole file, for which nothing is called
            self.pytest_runtest_logreport(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        is_worker = hasattr(session.config, "workerinput")  # a process of xdist sees only its tests
        if self._path and not is_worker:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._reasons, indent=0))


def main(paths: Iterable[str]) -> str:
    """Names the tests, and files, that were skipped wherever they were collected; empty where none was."""
    runs = [json.loads(Path(path).read_text()) for path in paths]
    if not runs or not all(runs):
        return "no outcomes to compare: name the files that the test runs wrote"
    done = {name for run in runs for name, reason in run.items() if not reason}
    done |= {name.partition("::")[0] for name in done}
    skipped = {name: reason for run in runs for name, reason in sorted(run.items()) if reason}
    left = {name: reason for name, reason in skipped.items() if name not in done}
    return "\n".join(f"no job ran {it}: {why}" for it, why in left.items() if not ELSEWHERE.search(why))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or None)
