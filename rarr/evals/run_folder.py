"""Runs over rows in a folder: inputs, finished rows, report. No crash loses a row, and none is done twice.

run.json            the inputs: digests of the data and of what is searched, and the settings without secrets
predictions.jsonl   a line for each finished row. A line is appended whole, and is on the disk before the next
                    step; a row with an error has none, and is repeated
report.html         the report as a page, of `rarr eval`
report.json         the report; it exists once the run is finished
run.lock            held by the process that works here
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
from rarr.retrievers.corpus.corpus import Progress, located, scan
from rarr.retrievers.corpus.passage_index import is_index, read_manifest
from rarr.settings import VERSION, Settings
from rarr.tools.concurrency import run, together
from rarr.tools.storage.files import Appending, locked, whole_lines, write_whole, writing
from rarr.traces.recorder import settings_record
from rarr.valid_unicode import valid

RUN, PREDICTIONS, LOCK = "run.json", "predictions.jsonl", "run.lock"
REPORT, PAGE = "report.json", "report.html"
ELSEWHERE = "give another folder, or delete this one"
# Settings that may differ between two parts of a run: how hard it tries, and where it stores and reports.
_FREE = frozenset(("home", "concurrency", "timeout_s", "refresh", "user_agent"))


def inputs(command: str, data: object, settings: Mapping[str, Any], corpus: str = "") -> dict[str, str]:
    """Names what must not differ when a run continues: its data, its `settings`, and what it searches."""
    digests = {"data (digest)": digest(data)[:12], "corpus (digest)": corpus[:12]}
    known = {"command": command, "version": VERSION, **digests}
    return known | {name: str(value) for name, value in settings.items()}


def digest(value: object) -> str:
    """Returns a number that bytes, or the Python form of another value, alone decide, in hexadecimal."""
    return hashlib.sha256(value if isinstance(value, bytes) else repr(value).encode()).hexdigest()


def described(settings: Settings) -> dict[str, str]:
    """Describes the settings that differ from defaults and affect results, without secrets.

    Objects are named by their class. Prompts of the user's own come with a digest.
    """
    texts = {name: _shown(it) for name, it in settings_record(settings).items() if name not in _FREE}
    for name in texts:
        if isinstance(path := getattr(settings, name), Path) and path.parts[:1] != ("~",):
            texts[name] = str(path.absolute())
    if settings.endpoints:
        texts["endpoints"] += f" ({digest([it.extra for it in settings.endpoints.values()])[:12]})"
    if settings.prompts is not None:  # a changed prompt is another run
        files = sorted(file for file in settings.prompts.glob("*.md") if file.is_file())
        texts["prompts"] += f" ({digest([(os.fsencode(it.name), it.read_bytes()) for it in files])[:12]})"
    return valid(texts)


def corpus_digest(settings: Settings) -> str:
    """Makes a digest of the files or the index of the corpus; "" without one that can be read."""
    if (path := settings.corpus) is None:
        return ""
    with suppress(InputError, RuntimeError):  # RuntimeError: the path names an unknown user
        where = located(path.expanduser())
        if is_index(where):
            return digest(read_manifest(where).model_dump())
        return digest([(file.name, file.size, file.mtime_ns) for file in scan(where)[0]])
    return ""


def _shown(value: Any) -> str:
    if isinstance(value, Mapping):
        value = [f"{name}={_shown(part)}" for name, part in value.items()]
    return ", ".join(map(_shown, value)) if isinstance(value, list) else str(value)


class FinishedLine(Record):
    """The result of the row with this id, a line of `predictions.jsonl`; or the reason why it has none."""

    id: str
    error: str = ""

    @property
    def is_judged(self) -> bool:
        """Has the row a result that a measure can use?"""
        return not self.error

    def line(self) -> bytes:
        """Writes the result as one line of JSON, without empty fields."""
        unset = {name for name in type(self).model_fields if getattr(self, name) in (None, "")}
        return self.model_dump_json(exclude=unset).encode() + b"\n"


Line = TypeVar("Line", bound=FinishedLine)
Pairs = Sequence[tuple[Any, Any]]  # rows, each with its line


class Worker(NamedTuple):
    """Works on rows, several at once; what is `opened` is closed in the event loop of the work.

    `line` returns the line of a row, or raises `RarrError`, which becomes the error of its line.
    """

    line: Callable[[Any], Awaitable[FinishedLine]]
    opened: Iterable[object] = ()


def run_rows(
    rows: Sequence[Any],
    path: Path,
    kind: type[FinishedLine],
    worker: Worker,
    *,
    chosen: Sequence[Any],
    jobs: int = 4,
    on_row: Progress | None = None,
    result_of: Callable[[Any, Any], Any] = lambda row, line: line,
) -> list[Any]:
    """Works on the rows that an earlier process left, and returns the results of all `chosen` rows, in order.

    Each of the `rows` has an `id` of its own, and `jobs` of them are worked on at once. A finished row is
    written at once; `result_of` turns a row and its line into its result. The folder must be `claimed`, or
    lie in one that is. Raises `InputError` for lines of an earlier process that do not fit.
    """
    if jobs < 1:
        raise InputError("jobs is a number of rows: give at least 1")
    known = _known(rows, path, kind, result_of)
    finished = {row.id: known[row.id] for row in chosen if row.id in known}
    left = [row for row in chosen if row.id not in known]
    todo, say = iter(left), on_row or (lambda count, total: None)
    say(len(finished), len(chosen))

    async def work() -> None:
        for row in todo:  # all tasks take from one iterator
            try:
                line = await worker.line(row)
            except RarrError as error:
                line = kind(id=row.id, error=str(error))
            if not line.error:
                await asyncio.to_thread(appending.add, line.line())
            finished[row.id] = result_of(row, line)
            say(len(finished), len(chosen))

    async def work_all() -> None:
        try:
            await together(*(work() for _ in range(min(jobs, len(left)))))
        finally:
            await close_all(worker.opened)

    with writing(path):
        path.mkdir(exist_ok=True)
        for name in (REPORT, PAGE) if left else ():
            (path / name).unlink(missing_ok=True)
    with closing(Appending(path / PREDICTIONS)) as appending:
        run(work_all())
    return [finished[row.id] for row in chosen]


def _known(
    rows: Sequence[Any], path: Path, kind: type[FinishedLine], result_of: Callable[[Any, Any], Any]
) -> dict[str, Any]:
    """Reads the results of an earlier process, by id."""
    left, known = {row.id: row for row in rows}, dict[str, Any]()
    for line in finished_lines(path, kind):
        if (row := left.pop(line.id, None)) is None:
            where = path / PREDICTIONS
            raise InputError(f"{where} has an extra line, of {line.id!r}: delete it and run again")
        known[row.id] = result_of(row, line)
    return known


@contextmanager
def claimed(path: Path, made_with: Mapping[str, str]) -> Iterator[None]:
    """Locks the folder for this process during the block, and makes it if it is missing.

    Raises `InputError` if it is in use, or holds other files or another run than one `made_with` the same.
    """
    if path.is_dir() and not (path / RUN).exists():
        names = sorted(file.name for file in path.iterdir())
        if others := [name for name in names if name[0] != "." and name not in (LOCK, f"{RUN}.part")]:
            raise InputError(f"{path} holds {others[0]}, not a run of rarr: give a folder of its own")
    message = f"{path} is in use by another process of rarr: wait for it, or give another folder"
    with locked(path / LOCK, message):
        check(path, made_with)
        yield


def check(path: Path, made_with: Mapping[str, str], cure: str = ELSEWHERE) -> None:
    """Raises `InputError`, with the `cure`, if the folder holds a run that was not `made_with` the same."""
    if not (path / RUN).exists():
        return
    try:
        before = dict(json.loads((path / RUN).read_bytes()))
    except (OSError, ValueError, TypeError):
        raise InputError(f"{path / RUN} cannot be read: {cure}") from None
    for name in dict.fromkeys([*made_with, *before]):
        old, new = (each.get(name, "the default") for each in (before, made_with))
        if old != new:
            raise InputError(f"{path} holds a run with {name} {old}, not {new}: {cure}")


def begin(path: Path, made_with: Mapping[str, str]) -> None:
    """Writes the inputs of the run to run.json."""
    with writing(path):
        write_whole(path / RUN, json.dumps(made_with, ensure_ascii=False, indent=2) + "\n")


def finish(path: Path, report: Record, page: str = "") -> None:
    """Writes the report. `report.json` is written last, since it marks the run as finished."""
    with writing(path):
        if page:
            write_whole(path / PAGE, page)
        write_whole(path / REPORT, report.model_dump_json(indent=2) + "\n")


def finished_lines(path: Path, kind: type[Line]) -> Iterator[Line]:
    """Yields the lines of finished rows in their order, without an incomplete last one, which is removed.

    Raises `InputError` for any other line that cannot be read.
    """
    for number, line in enumerate(whole_lines(path / PREDICTIONS), start=1):
        try:
            yield kind.model_validate_json(line)
        except ValidationError:
            where = f"{path / PREDICTIONS}, line {number}"
            raise InputError(f"{where}, is damaged: delete that line and run again") from None
