"""Stores the trace (record) of each run in a file of the data folder. Lists, finds and removes the files."""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from rarr.errors import InputError
from rarr.records import Revision
from rarr.settings import Settings
from rarr.tools.storage.files import make_private_folder, write_whole
from rarr.tools.text.wording import why_nothing_checked
from rarr.traces.trace_file import RunStatus, TraceFile
from rarr.valid_unicode import valid

DAY_S = 86_400.0
_SUFFIX = ".jsonl"


class RunSummary(NamedTuple):
    """The facts about one run for a list of runs. `seconds` is None if the run has not ended.

    The status `not checked` means that no statement could be checked. Then `error` has the reason. `calls` is
    the number of requests to models, `tokens` of input and output tokens, and `edits` of accepted edits.
    """

    run_id: str
    started: float
    seconds: float | None
    status: RunStatus | Literal["not checked", "unreadable"]
    error: str
    text: str
    calls: int
    tokens: int
    edits: int


class TraceStore:
    """The folder with the traces of all runs. Several processes may use the folder at the same time."""

    def __init__(self, home: str | Path | None = None) -> None:
        """`home` is the data folder. None means the data folder of the settings."""
        self.home = Path(str(home or Settings().home)).expanduser()
        self.folder = self.home / "traces"

    def create_file(self, run_id: str, lines: str, cure: str = "give another run_id") -> None:
        """Creates the file of a run, and writes `lines` into it.

        If the file exists, raises `InputError` with the advice `cure`. Raises `OSError` if a write fails.
        """
        make_private_folder(self.folder)
        try:
            handle = os.open(self._path(run_id), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            raise InputError(f"there is a trace of a run {run_id!r} already: {cure}") from None
        with os.fdopen(handle, "wb") as file:
            file.write(f"{lines}\n".encode())

    def append_lines(self, run_id: str, lines: Iterable[str]) -> None:
        """Appends lines to a run's file. Raises `InputError` if it is gone, `OSError` if a write fails."""
        try:
            handle = os.open(self._path(run_id), os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            raise InputError("its file was removed during the run") from None
        with os.fdopen(handle, "wb") as file:
            file.writelines(f"{line}\n".encode() for line in lines)

    def rewrite_file(self, file: TraceFile) -> None:
        """Writes `file` in place of the stored file, which may end with half a line. Raises `OSError`."""
        write_whole(self._path(file.run_id), file.text())
        self._path(file.run_id).chmod(0o600)

    def add_trace(self, file: TraceFile) -> None:
        """Stores an exported trace. Raises `InputError` if the store already has a run with the same id."""
        cure = f"rarr trace show {file.run_id} shows it, and rarr trace prune {file.run_id} removes it"
        self.create_file(file.run_id, file.text().removesuffix("\n"), cure)

    def run_names(self) -> Sequence[str]:
        """Returns the ids of all runs, the newest run first."""
        return [path.name.removesuffix(_SUFFIX) for path, _, _ in reversed(self._files())]

    def summaries(self, most: int | None = None) -> Sequence[RunSummary]:
        """Returns summaries of the `most` newest runs (None: of all runs), the newest run first."""
        return [self._summary(name) for name in self.run_names()[:most]]

    def _summary(self, run_id: str) -> RunSummary:
        try:
            file = self.read_trace(run_id)
            revision = Revision.model_validate(file.revision) if file.revision else None
        except (InputError, ValidationError) as error:
            written = {path: written for path, written, _ in self._files()}.get(self._path(run_id), 0.0)
            reason = " ".join(str(error).split())
            return RunSummary(run_id, written, None, "unreadable", reason, "", 0, 0, 0)
        sent = [span.body["tokens"] for span in file.spans if "tokens" in span.body]
        unchecked = why_nothing_checked(revision) if revision else ""
        return RunSummary(
            run_id=run_id,
            started=file.started,
            seconds=file.seconds,
            status="not checked" if unchecked else file.status,
            error=file.error or unchecked,
            text=file.facts.original,
            calls=len(sent),
            tokens=sum(read + written for read, written, _ in sent),
            edits=sum(edit.accepted for edit in revision.edits) if revision else 0,
        )

    def full_run_id(self, word: str) -> str:
        """Returns the full id of a run. `word` is the id, its beginning, or "last" (the newest run).

        Raises `InputError` if no run or several runs match.
        """
        word, names = valid(str(word)), self.run_names()
        if word in names:
            return word
        found = names[:1] if word == "last" else [name for name in names if word and name.startswith(word)]
        if len(found) > 1:
            raise InputError(f"several runs begin with {word!r}: give more of the name")
        return found[0] if found else self._known_run_id(word)

    def read_trace(self, run_id: str) -> TraceFile:
        """Reads the trace of the run `run_id`. Raises `InputError` if the trace is missing or damaged."""
        try:
            return TraceFile.read(self._path(self._known_run_id(run_id)), may_be_cut=True)
        except InputError as error:
            raise InputError(f"{error}; rarr trace prune {run_id} removes it") from None

    def prune(self, *, days: float, max_bytes: float, now: float | None = None) -> int:
        """Removes runs older than `days`, then the oldest runs until all files together fit `max_bytes`.

        Returns the number of removed runs. `now` is the time in seconds since 1970. The age of a run
        counts back from the newest run that is at least a day old: a short clock error harms no run.
        """
        now, files = time.time() if now is None else now, self._files()
        now = max((written for _, written, _ in files if written <= now - DAY_S), default=0.0)
        left, removed = sum(size for _, _, size in files), 0
        for path, written, size in files:
            if written < now - days * DAY_S or left > max_bytes:
                self._remove_run(path.name.removesuffix(_SUFFIX))
                left, removed = left - size, removed + 1
        return removed

    def remove_runs(self, run_ids: Iterable[str]) -> int:
        """Removes runs. Returns their number. If an id is unknown, raises `InputError` and removes no run."""
        runs = {self._known_run_id(run_id) for run_id in run_ids}
        for run_id in runs:
            self._remove_run(run_id)
        return len(runs)

    def _remove_run(self, run_id: str) -> None:
        """Removes the HTML page and the trace of a run. Raises `InputError` if a file cannot be removed."""
        for path in (trace_page_path(self.home, run_id), self._path(run_id)):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise InputError(f"{path} cannot be removed ({error.strerror}): remove it") from None

    def _files(self) -> Sequence[tuple[Path, float, int]]:
        """Returns (path, time of the last write, size in bytes) of each file, the oldest file first."""
        files = []
        for path in self.folder.glob(f"*{_SUFFIX}"):
            try:
                facts = path.stat()
            except FileNotFoundError:  # another process removed it
                continue
            files.append((path, facts.st_mtime, facts.st_size))
        return sorted(files, key=lambda file: (file[1], file[0]))

    def _path(self, run_id: str) -> Path:
        return self.folder / f"{run_id}{_SUFFIX}"

    def _known_run_id(self, run_id: str) -> str:
        if run_id not in self.run_names():
            raise InputError(f"there is no trace of a run {run_id!r}: rarr trace list names them")
        return run_id


def trace_page_path(home: Path, run_id: str) -> Path:
    """Returns the path of the page that `rarr trace open` writes. The page is removed with the run."""
    return home / "pages" / f"{run_id}.html"
