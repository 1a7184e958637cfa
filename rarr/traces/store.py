"""Keeps the traces of runs, each in a file of the data folder: writes, lists, finds and removes them."""

import os
import time
from collections.abc import Iterable, Sequence
from pathlib import Path
from typing import Literal, NamedTuple

from pydantic import ValidationError

from rarr.errors import InputError
from rarr.records import Revision
from rarr.settings import Settings
from rarr.tools.storage.files import private_folder, write_whole
from rarr.tools.text.wording import nothing_checked
from rarr.traces.trace_file import Status, TraceFile
from rarr.valid_unicode import valid

DAY_S = 86_400.0
LAST = "last"
"""The name for the newest run, unless a run has this name."""
_END = ".jsonl"


class RunSummary(NamedTuple):
    """The figures of one run in a list of runs. `seconds` is None if the run did not end.

    A run is `not checked` if all its searches or readings failed; `error` says why. `calls` are requests to
    models, including failed ones, `tokens` those in and out, and `edits` those that a finished run accepted.
    """

    run_id: str
    started: float
    seconds: float | None
    status: Status | Literal["not checked", "unreadable"]
    error: str
    text: str
    calls: int
    tokens: int
    edits: int


class TraceStore:
    """The folder with the traces of all runs. Many processes and threads may use it at once."""

    def __init__(self, home: Path | None = None) -> None:
        """`home` is the data folder; None: that of the settings."""
        self.home = (home or Settings().home).expanduser()
        self.folder = self.home / "traces"

    def begin(self, run_id: str, lines: str, cure: str = "give another run_id") -> None:
        """Makes the file of a run with its first lines. Raises `InputError` for a used name; `OSError`."""
        private_folder(self.folder)
        try:
            handle = os.open(self._path(run_id), os.O_CREAT | os.O_EXCL | os.O_WRONLY, 0o600)
        except FileExistsError:
            raise InputError(f"there is a trace of a run {run_id!r} already: {cure}") from None
        with os.fdopen(handle, "wb") as file:
            file.write(f"{lines}\n".encode())

    def write(self, run_id: str, lines: Iterable[str]) -> None:
        """Appends lines to the file of a run. Raises `InputError` if the run was removed, and `OSError`."""
        try:
            handle = os.open(self._path(run_id), os.O_WRONLY | os.O_APPEND)
        except FileNotFoundError:
            raise InputError("the run was removed while it was under way") from None
        with os.fdopen(handle, "wb") as file:
            file.writelines(f"{line}\n".encode() for line in lines)

    def rewrite(self, file: TraceFile) -> None:
        """Writes the file of a run anew, without a last line that was cut short. Raises `OSError`."""
        write_whole(self._path(file.run_id), file.text())
        self._path(file.run_id).chmod(0o600)

    def add(self, file: TraceFile) -> None:
        """Writes a run that was read from a file. Raises `InputError` if a run of its name exists."""
        cure = f"rarr trace show {file.run_id} shows it, and rarr trace prune {file.run_id} removes it"
        self.begin(file.run_id, file.text().removesuffix("\n"), cure)

    def names(self) -> Sequence[str]:
        """Returns the names of all runs, the last written first."""
        return [path.name.removesuffix(_END) for path, _, _ in reversed(self._files())]

    def list(self, most: int | None = None) -> Sequence[RunSummary]:
        """Returns summaries of the `most` newest runs, the newest first."""
        return [self._summary(name) for name in self.names()[:most]]

    def _summary(self, run_id: str) -> RunSummary:
        try:
            file = self.read(run_id)
            revision = Revision.model_validate(file.revision) if file.revision else None
        except (InputError, ValidationError) as error:
            written = {path: written for path, written, _ in self._files()}.get(self._path(run_id), 0.0)
            reason = " ".join(str(error).split())
            return RunSummary(run_id, written, None, "unreadable", reason, "", 0, 0, 0)
        sent = [span.body["tokens"] for span in file.spans if "tokens" in span.body]
        unchecked = nothing_checked(revision) if revision else ""
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

    def resolve(self, word: str) -> str:
        """Returns the run named `word`; else the newest run for `last`; else the run whose name begins so.

        Raises `InputError` where there is no such run, or several.
        """
        word, names = valid(word), self.names()
        if word in names:
            return word
        found = names[:1] if word == LAST else [name for name in names if word and name.startswith(word)]
        if len(found) > 1:
            raise InputError(f"several runs begin with {word!r}: give more of the name")
        return found[0] if found else self._existing(word)

    def read(self, run_id: str) -> TraceFile:
        """Reads the trace of the run of this name. Raises `InputError` if there is none, or it is damaged."""
        try:
            return TraceFile.read(self._path(self._existing(run_id)))
        except InputError as error:
            raise InputError(f"{error}; rarr trace prune {run_id} removes it") from None

    def prune(self, *, days: float, max_bytes: float, now: float | None = None) -> int:
        """Removes runs older than `days`, then the oldest until `max_bytes` suffice; returns the number.

        The age is that at the newest run of a day ago or more, so that a clock which jumps and is put right
        within a day costs no run.
        """
        now, files = time.time() if now is None else now, self._files()
        now = max((written for _, written, _ in files if written <= now - DAY_S), default=0.0)
        left, removed = sum(size for _, _, size in files), 0
        for path, written, size in files:
            if written < now - days * DAY_S or left > max_bytes:
                self._remove(path.name.removesuffix(_END))
                left, removed = left - size, removed + 1
        return removed

    def remove(self, run_ids: Iterable[str]) -> int:
        """Removes the runs of these names, all of them or none if a name is unknown; returns the number."""
        runs = {self._existing(run_id) for run_id in run_ids}
        for run_id in runs:
            self._remove(run_id)
        return len(runs)

    def _remove(self, run_id: str) -> None:
        """Removes the HTML page of a run, and then the run. Raises `InputError` if one cannot go."""
        for path in (page_path(self.home, run_id), self._path(run_id)):
            try:
                path.unlink(missing_ok=True)
            except OSError as error:
                raise InputError(f"{path} cannot be removed ({error.strerror}): remove it") from None

    def _files(self) -> Sequence[tuple[Path, float, int]]:
        """Lists the files with the time when each was last written and their bytes, the oldest first."""
        files = []
        for path in self.folder.glob(f"*{_END}"):
            try:
                facts = path.stat()
            except FileNotFoundError:  # another process removed it
                continue
            files.append((path, facts.st_mtime, facts.st_size))
        return sorted(files, key=lambda file: (file[1], file[0]))

    def _path(self, run_id: str) -> Path:
        return self.folder / f"{run_id}{_END}"

    def _existing(self, run_id: str) -> str:
        if run_id not in self.names():
            raise InputError(f"there is no trace of a run {run_id!r}: rarr trace list names them")
        return run_id


def page_path(home: Path, run_id: str) -> Path:
    """Returns where `rarr trace open` writes the page of a run. The page is removed with the run."""
    return home / "pages" / f"{run_id}.html"
