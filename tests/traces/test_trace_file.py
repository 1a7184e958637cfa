"""The trace of a run in a file: which files are refused, and the status of a run."""

import socket
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from pydantic import ValidationError

from rarr.errors import InputError
from rarr.traces.trace_file import TraceFile, status_of
from traces.helpers import facts, file, span


@pytest.mark.parametrize(
    "change",
    [
        {"started": 1e300},
        {"started": -1.0},
        {"seconds": float("inf")},
        {"facts": {**facts().model_dump(), "process": (socket.gethostname(), 2**70)}},
        {"spans": [{**span().model_dump(), "started": float("inf")}]},
    ],
    ids=lambda change: next(iter(change)),
)
def test_invalid_trace_file_is_refused(change: dict[str, Any]) -> None:
    with pytest.raises(ValidationError):
        TraceFile(**{**file().model_dump(), **change})


def test_status_on_windows_does_not_check_the_process(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("rarr.traces.trace_file.os", SimpleNamespace(name="nt"))  # which has no kill
    assert status_of(None, "", (socket.gethostname(), 1)) == "running"


@pytest.mark.parametrize("text", ["", "[]", '{"format": 1}', "\x00"])
def test_file_that_is_not_a_trace_is_refused(tmp_path: Path, text: str) -> None:
    (tmp_path / "run.json").write_text(text)
    with pytest.raises(InputError, match="is not a trace"):
        TraceFile.read(tmp_path / "run.json")


def test_file_of_a_later_format_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(file().text().replace('"format":1', '"format":2'))
    with pytest.raises(InputError, match="later rarr"):
        TraceFile.read(tmp_path / "run.json")


def test_run_name_with_a_path_is_refused(tmp_path: Path) -> None:
    (tmp_path / "run.json").write_text(file().text().replace("run-1", "../../run"))
    with pytest.raises(InputError, match="run_id"):
        TraceFile.read(tmp_path / "run.json")
