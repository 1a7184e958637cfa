"""Works on the rows of a data file inside a folder, and continues after a crash without a loss.

A row is an entry of the data file. A line is the stored result of a row. A worker makes the lines of rows.

run.json            the inputs of the run: digests of data and corpus, and the settings without secrets
predictions.jsonl   a line for each finished row without an error; the next call repeats the other rows
report.html         the report as a page, only of `rarr eval`
report.json         the report of a finished run
run.lock            locked by the process that works in the folder
"""

import asyncio
import hashlib
import json
import os
from collections.abc import Awaitable, Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import closing, contextmanager, suppress
from pathlib import Path
from typing import Any, NamedTuple, TypeVar

from pydantic import ValidationError

from rarr.components import close_all
from rarr.errors import InputError, RarrError
from rarr.records import Record
from rarr.retrievers.corpus.corpus import Progress, resolved_path, scan
from rarr.retrievers.corpus.passage_index import is_index, read_manifest
from rarr.settings import VERSION, Settings
from rarr.tools.concurrency import for_each, run
from rarr.tools.storage.files import LineAppender, as_input_error, lock_file, repaired_lines, write_whole
from rarr.traces.recorder import settings_record
from rarr.valid_unicode import valid

RUN, PREDICTIONS, LOCK = "run.json", "predictions.jsonl", "run.lock"
REPORT, PAGE = "report.json", "report.html"
OTHER_FOLDER = "give another folder, or delete this one"
# Settings that do not change results, so they may change before a run continues.
_HARMLESS = frozenset(("home", "concurrency", "timeout_s", "refresh", "user_agent"))


def run_inputs(command: str, data: object, settings: Mapping[str, Any], corpus: str = "") -> dict[str, str]:
    """Returns a run's inputs by name. A call with equal inputs continues the run. `corpus`: a digest."""
    digests = {"data (digest)": digest(data)[:12], "corpus (digest)": corpus[:12]}
    known = {"command": command, "version": VERSION, **digests}
    return known | {name: str(value) for name, value in settings.items()}


def digest(value: object) -> str:
    """Returns the SHA-256 digest of bytes, or of the `repr` of another value, in hexadecimal."""
    return hashlib.sha256(value if isinstance(value, bytes) else repr(value).encode()).hexdigest()


def changed_settings(settings: Settings) -> dict[str, str]:
    """Returns the settings that differ from the defaults and affect results, as texts without secrets.

    An object in a setting becomes its class name. The user's prompts and `extra` of endpoints become digests.
    """
    texts = {name: _value_text(it) for name, it in settings_record(settings).items() if name not in _HARMLESS}
    for name in texts:
        if isinstance(path := getattr(settings, name), Path) and path.parts[:1] != ("~",):
            texts[name] = str(path.absolute())
    if settings.endpoints:
        texts["endpoints"] += f" ({digest([it.extra for it in settings.endpoints.values()])[:12]})"
    if settings.prompts is not None:  # a run with other prompts is another run
        files = sorted(file for file in settings.prompts.glob("*.md") if file.is_file())
        texts["prompts"] += f" ({digest([(os.fsencode(it.name), it.read_bytes()) for it in files])[:12]})"
    return valid(texts)


def corpus_digest(settings: Settings) -> str:
    """Returns a digest of the corpus (its files or index); "" if no corpus is set, or if it is unreadable."""
    if (path := settings.corpus) is None:
        return ""
    with suppress(InputError, RuntimeError):  # RuntimeError: the path begins with an unknown ~user
        where = resolved_path(path.expanduser())
        if is_index(where):
            return digest(read_manifest(where).model_dump())
        return digest([(file.name, file.size, file.mtime_ns) for file in scan(where)[0]])
    return ""


def _value_text(value: Any) -> str:
    if isinstance(value, Mapping):
        value = [f"{name}={_value_text(part)}" for name, part in value.items()]
    return ", ".join(map(_value_text, value)) if isinstance(value, list) else str(value)


class FinishedLine(Record):
    """A line of `predictions.jsonl`: the id of a row, and its result (in subclasses) or its error."""

    id: str
    error: str = ""  # why there is no result
    failures: tuple[str, ...] = ()  # why parts of the result are missing

    @property
    def is_judged(self) -> bool:
        """Tells whether the line has a result that measures can use."""
        return not self.error

    def json_line(self) -> bytes:
        """Returns the line as JSON in UTF-8, with a line end. Leaves out empty fields."""
        unset = {name for name in type(self).model_fields if getattr(self, name) in (None, "", ())}
        return self.model_dump_json(exclude=unset).encode() + b"\n"


LineT = TypeVar("LineT", bound=FinishedLine)
Pairs = Sequence[tuple[Any, Any]]  # pairs (row, line)


class Worker(NamedTuple):
    """Makes a row's line in `predictions.jsonl`. After a `RarrError`, the line has the error and no result.

    After the last row, the objects in `opened` are closed in the same event loop.
    """

    make_line: Callable[[Any], Awaitable[FinishedLine]]
    opened: Iterable[object] = ()


def run_rows(
    rows: Sequence[Any],
    path: Path,
    line_class: type[FinishedLine],
    worker: Worker,
    *,
    chosen: Sequence[Any],
    jobs: int = 4,
    on_row: Progress | None = None,
    result_of: Callable[[Any, Any], Any] = lambda row, line: line,
) -> list[Any]:
    """Works on the `chosen` rows that have no line yet, `jobs` rows at the same time.

    Call this function inside `lock_run_folder`. Returns a result for each chosen row, in order. `result_of`
    makes the result from a row and its line. `rows` are all rows of the data, and their ids differ. Raises
    `InputError` if the folder `path` has a line of a row that is not in `rows`.
    """
    if jobs < 1:
        raise InputError("jobs is a number of rows: give at least 1")
    known = _earlier_results(rows, path, line_class, result_of)
    finished = {row.id: known[row.id] for row in chosen if row.id in known}
    left = [row for row in chosen if row.id not in known]
    report_progress = on_row or (lambda count, total: None)
    report_progress(len(finished), len(chosen))

    async def work_on_row(row: Any) -> None:
        try:
            line = await worker.make_line(row)
        except RarrError as error:
            line = line_class(id=row.id, error=str(error))
        if not line.error:
            await asyncio.to_thread(appending.append_line, line.json_line())
        finished[row.id] = result_of(row, line)
        report_progress(len(finished), len(chosen))

    async def work_all() -> None:
        try:
            await for_each(left, work_on_row, jobs)
        finally:
            await close_all(worker.opened)

    with as_input_error(path):
        path.mkdir(exist_ok=True)
        for name in (REPORT, PAGE) if left else ():
            (path / name).unlink(missing_ok=True)
    with closing(LineAppender(path / PREDICTIONS)) as appending:
        run(work_all())
    return [finished[row.id] for row in chosen]


def _earlier_results(
    rows: Sequence[Any], path: Path, line_class: type[FinishedLine], result_of: Callable[[Any, Any], Any]
) -> dict[str, Any]:
    """Returns earlier results by the id of the row. Raises `InputError` for a line of a row not in `rows`."""
    left, known = {row.id: row for row in rows}, dict[str, Any]()
    for line in read_and_repair_lines(path, line_class):
        if (row := left.pop(line.id, None)) is None:
            where = path / PREDICTIONS
            raise InputError(f"{where} has an extra line, of {line.id!r}: delete that line and run again")
        known[row.id] = result_of(row, line)
    return known


@contextmanager
def lock_run_folder(path: Path, inputs: Mapping[str, str]) -> Iterator[None]:
    """Locks the folder for this process during the `with` block. Creates the folder if it is missing.

    Raises `InputError` if another process uses the folder, if the folder has files but no run, or if its run
    has other inputs.
    """
    if path.is_dir() and not (path / RUN).exists():
        names = sorted(file.name for file in path.iterdir())
        if others := [name for name in names if name[0] != "." and name not in (LOCK, f"{RUN}.part")]:
            raise InputError(f"{path} holds {others[0]}, not a run of rarr: give an empty folder")
    message = f"{path} is in use by another process of rarr: wait for it, or give another folder"
    with lock_file(path / LOCK, message):
        require_same_inputs(path, inputs)
        yield


def require_same_inputs(path: Path, inputs: Mapping[str, str], cure: str = OTHER_FOLDER) -> None:
    """Raises `InputError` if the folder has a run with other inputs. The message ends with `cure`."""
    if not (path / RUN).exists():
        return
    try:
        before = dict(json.loads((path / RUN).read_bytes()))
    except (OSError, ValueError, TypeError):
        raise InputError(f"{path / RUN} cannot be read: {cure}") from None
    for name in dict.fromkeys([*inputs, *before]):
        old, new = (each.get(name, "the default") for each in (before, inputs))
        if old != new:
            raise InputError(f"{path} holds a run with {name} {old}, not {new}: {cure}")


def write_inputs(path: Path, inputs: Mapping[str, str]) -> None:
    with as_input_error(path):
        write_whole(path / RUN, json.dumps(inputs, ensure_ascii=False, indent=2) + "\n")


def write_report(path: Path, report: Record, page: str = "") -> None:
    """Writes `report.html` if there is a `page`, then `report.json`, which marks the run as finished."""
    with as_input_error(path):
        if page:
            write_whole(path / PAGE, page)
        write_whole(path / REPORT, report.model_dump_json(indent=2) + "\n")


def read_and_repair_lines(path: Path, line_class: type[LineT]) -> Iterator[LineT]:
    """Yields the lines in `predictions.jsonl`. If the last line is incomplete, removes it from the file.

    Raises `InputError` for any other damaged line.
    """
    for number, line in enumerate(repaired_lines(path / PREDICTIONS), start=1):
        try:
            yield line_class.model_validate_json(line)
        except ValidationError:
            where = f"{path / PREDICTIONS}, line {number}"
            raise InputError(f"{where}, is damaged: delete that line and run again") from None
