"""Reads and writes the folder of an evaluation run: inputs, finished rows, report. No crash loses them.

run.json            the digests of the data and of what is searched, and the settings
predictions.jsonl   a line for each finished row. A line is appended whole, and is on the disk before the next
                    step; lines with an error are removed when their rows are repeated
report.html         the report as a page
report.json         the report; it exists once the run is finished
run.lock            held by the process that works here
"""

import json
from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from pathlib import Path
from typing import Any, TypeVar

from pydantic import ValidationError

from rarr.errors import InputError
from rarr.evals.html import render_html
from rarr.evals.report_records import EvalReport
from rarr.records import Record
from rarr.tools.storage.files import locked, sync_folder, whole_lines, write_lines, write_whole, writing

RUN, PREDICTIONS, LOCK = "run.json", "predictions.jsonl", "run.lock"
REPORT, PAGE = "report.json", "report.html"
_EVAL = "rarr eval"  # the command that names itself in no setting


class FinishedLine(Record):
    """A line of `predictions.jsonl`: the result of the row with this id, or the reason why it has none."""

    id: str
    error: str = ""

    def line(self) -> bytes:
        """Writes the result as one line of JSON, with either the result or the error."""
        unset = {name for name in type(self).model_fields if getattr(self, name) in (None, "")}
        return self.model_dump_json(exclude=unset).encode() + b"\n"


RowLine = TypeVar("RowLine", bound=FinishedLine)
ELSEWHERE = "give another folder, or delete this one"


@contextmanager
def claimed(path: Path, made_with: Mapping[str, Any]) -> Iterator[None]:
    """Locks the folder for this process during the block, and makes it if it is missing.

    Raises `InputError` if another process uses it, if it holds other files, to which nothing is added, or a
    run that was not `made_with` the same.
    """
    if path.is_dir() and not (path / RUN).exists():
        names = sorted(file.name for file in path.iterdir())
        if others := [name for name in names if name[0] != "." and name not in (LOCK, f"{RUN}.part")]:
            raise InputError(f"{path} holds {others[0]}, not a run of rarr: give a folder of its own")
    message = f"{path} is in use by another process of rarr: wait for it, or give another folder"
    with locked(path / LOCK, message):
        check(path, made_with)
        yield


def check(path: Path, made_with: Mapping[str, Any], cure: str = ELSEWHERE) -> None:
    """Raises `InputError`, with the `cure`, if the folder holds a run that was not `made_with` the same."""
    if not (path / RUN).exists():
        return
    try:
        recorded = json.loads((path / RUN).read_bytes())
    except (OSError, ValueError):
        recorded = None
    if not isinstance(recorded, dict) or not isinstance(recorded.get("settings"), dict):
        raise InputError(f"{path / RUN} cannot be read: {cure}")
    before, now = recorded["settings"], made_with["settings"]
    if (command := before.get("command", _EVAL)) != now.get("command", _EVAL):
        raise InputError(f"{path} holds a run of {command}: {cure}")
    if recorded.get("data") != made_with["data"]:
        raise InputError(f"{path} holds a run over other data: {cure}")
    if recorded.get("version") != made_with["version"]:
        raise InputError(f"{path} holds a run of rarr {recorded.get('version')}: {cure}")
    for name in sorted(before.keys() | now.keys()):
        if before.get(name) != now.get(name):
            old, new = before.get(name, "the default"), now.get(name, "the default")
            raise InputError(f"{path} holds a run with {name} {old}, not {new}: {cure}")
    _require_unchanged(recorded.get("corpora") or {}, made_with["corpora"], path, cure)


def _require_unchanged(before: Mapping[str, str], now: Mapping[str, str], path: Path, cure: str) -> None:
    for name, digest in before.items():
        if now.get(name) != digest:
            raise InputError(f"{path} holds a run that searched {name} before its files changed: {cure}")


def begin(path: Path, made_with: Mapping[str, Any]) -> None:
    """Writes the inputs of the run to run.json, again when a run continues."""
    with writing(path):
        write_whole(path / RUN, json.dumps(made_with, ensure_ascii=False, indent=2) + "\n")


def reopen(path: Path, kind: type[RowLine]) -> None:
    """Removes the report and the lines with an error, because rows are still to be worked on.

    After a crash in between, every other line is still there.
    """
    with writing(path):
        for name in (REPORT, PAGE):
            (path / name).unlink(missing_ok=True)
        sync_folder(path)
        if any(line.error for line in finished_lines(path, kind)):
            kept = (line.line() for line in finished_lines(path, kind) if not line.error)
            write_lines(path / PREDICTIONS, kept)


def finish(path: Path, report: EvalReport) -> None:
    """Writes the report. `report.json` is written last, since it marks the run as finished."""
    with writing(path):
        write_whole(path / PAGE, render_html(report))
        write_whole(path / REPORT, report.model_dump_json(indent=2) + "\n")


def finished(path: Path) -> EvalReport:
    """Reads the report of a finished run. Raises `InputError` if there is none."""
    try:
        return EvalReport.model_validate_json((path / REPORT).read_bytes())
    except FileNotFoundError:
        pass
    except OSError as error:
        raise InputError(
            f"{path} holds no run of rarr eval ({error.strerror}): give the folder of a run"
        ) from None
    except ValidationError:
        raise InputError(
            f"{path / REPORT} cannot be read: delete it and run rarr eval again, which writes it again"
        ) from None
    if (path / RUN).exists():
        raise InputError(
            f"the run in {path} is not finished: run the same rarr eval again, which continues it"
        )
    raise InputError(f"{path} holds no run of rarr eval: give the folder that was given with -o")


def finished_lines(path: Path, kind: type[RowLine]) -> Iterator[RowLine]:
    """Yields the lines of finished rows, in the order in which they finished; none without a file.

    An incomplete last line is removed from the file.
    Raises `InputError` for any other line that cannot be read.
    """
    for number, line in enumerate(whole_lines(path / PREDICTIONS), start=1):
        try:
            yield kind.model_validate_json(line)
        except ValidationError:
            raise InputError(
                f"{path / PREDICTIONS}, line {number}, is damaged: delete that line and run again"
            ) from None
