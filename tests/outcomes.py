"""What became of each test, written to a file; and of several files, which tests ran in none of their runs.

    python -m pytest --outcomes=FIRST
    python -m pytest --slow --left-by=FIRST --outcomes=SECOND
    python tests/outcomes.py FIRST SECOND

The last command fails where a test was skipped in all of these runs, unless it is for another system.
"""

import json
import re
import sys
from collections.abc import Iterable, Mapping, Sequence
from pathlib import Path

import pytest

ELSEWHERE = re.compile(r"needs --live|root may|this system has no|there (?:is|are) no forks?|BENCHMARK_DATA")
"""Reasons why a test cannot run on this machine: another system, user or network, or others' data."""
RAN = ""


class Outcomes:
    """A plugin of pytest: it writes to `path` why each test was skipped, an empty reason for one that ran.

    `left_by`, such a file of another run, has the tests left out that ran there.
    """

    def __init__(self, path: Path | None, left_by: Path | None = None) -> None:
        self._path, self._left_by = path, left_by
        self._reasons: dict[str, str] = {}

    def pytest_collection_modifyitems(self, config: pytest.Config, items: list[pytest.Item]) -> None:
        if self._left_by is not None:
            done = {name for name, reason in json.loads(self._left_by.read_text()).items() if reason == RAN}
            config.hook.pytest_deselected(items=[item for item in items if item.nodeid in done])
            items[:] = [item for item in items if item.nodeid not in done]

    def pytest_runtest_logreport(self, report: pytest.TestReport) -> None:
        if report.when == "call" or report.skipped:
            self._reasons[report.nodeid] = _reason(report)

    def pytest_collectreport(self, report: pytest.CollectReport) -> None:
        if report.skipped:  # a whole file, for which nothing is called
            self._reasons[report.nodeid] = _reason(report)

    def pytest_sessionfinish(self, session: pytest.Session) -> None:
        is_worker = hasattr(session.config, "workerinput")  # a process of xdist sees only its tests
        if self._path is not None and not is_worker:
            self._path.parent.mkdir(parents=True, exist_ok=True)
            self._path.write_text(json.dumps(self._reasons, indent=0))


def _reason(report: pytest.TestReport | pytest.CollectReport) -> str:
    if not report.skipped or hasattr(report, "wasxfail"):  # what fails as expected did run
        return RAN
    reason = report.longrepr
    return str(reason[2] if isinstance(reason, tuple) else reason).removeprefix("Skipped: ") or "no reason"


def never_run(runs: Sequence[Mapping[str, str]]) -> dict[str, str]:
    """The tests, and files, that were skipped wherever they were collected, with the last reason of each."""
    done = {name for run in runs for name, reason in run.items() if reason == RAN}
    files = {name.partition("::")[0] for name in done}
    skipped = {name: reason for run in runs for name, reason in run.items() if reason != RAN}
    return {
        name: reason
        for name, reason in skipped.items()
        if name not in (done if "::" in name else files) and not ELSEWHERE.search(reason)
    }


def main(paths: Iterable[str]) -> str:
    """What is wrong, a test a line; empty where nothing is."""
    runs = [json.loads(Path(path).read_text()) for path in paths]
    if not all(runs) or not runs:
        return "no outcomes to compare: name the files that the test runs wrote"
    left = never_run(runs)
    return "\n".join(f"no job ran {name}: {reason}" for name, reason in sorted(left.items()))


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]) or None)
