"""Stores how readers judged controls (test sentences). Code doubts a good reader less than a bad reader.

The record is a file of JSON lines in the data folder: a line is for the controls of a block, or an exam.
"""

from collections.abc import Iterable, Sequence
from contextlib import suppress
from pathlib import Path
from time import time
from typing import Any, Literal

from filelock import FileLock
from pydantic import BaseModel, ValidationError

from rarr.records.base import Controls
from rarr.tools.storage.files import make_private_folder, write_whole

Standing = Literal["good", "unknown", "bad"]

READERS_FILE = "readers.jsonl"
KEPT_CONTROLS, KEPT_DAYS = 200, 30
GOOD_FROM, GOOD_MISSES = 60, 0.03
BAD_FROM, BAD_MISSES = 20, 0.10
_LONGEST, _MOST_ROWS = 2_000_000, 5000  # bytes of the file, above which only its last rows are kept


class _Row(BaseModel, extra="forbid"):
    """A line of the file: the result of an exam, or counts of a block's controls. `source`: one of theirs."""

    reader: str
    at: int
    served: str
    language: str = ""
    source: str = ""
    controls: Controls | None = None
    fit_for: str = ""


class ReaderRecord:
    """The stored results of one reader. The file in `folder` is read once, when this object is made.

    `reader` identifies the reader: the model, its server and the hash of its prompt. If the server used
    several models, only results of the last model count. The reader has one rating for each language.
    """

    def __init__(self, folder: Path, reader: Sequence[str]) -> None:
        self._file, self._reader = folder.expanduser() / READERS_FILE, "\t".join(reader)
        rows = [row for row in _read_rows(self._file) if row.reader == self._reader]
        self._rows = [row for row in rows if row.served == rows[-1].served]

    def standing(self, language: str) -> Standing:
        """Rates the reader as good, unknown or bad for texts in this language, by its controls and exams."""
        exams = [row.fit_for for row in self._rows if row.fit_for]
        if exams[-1:] == ["nothing"]:
            return "bad"
        worst, last = dict[str, Controls](), Controls()
        for number, row in enumerate(reversed(self._rows)):
            if row.controls and row.language == language and last.planted + last.repeated < KEPT_CONTROLS:
                last += row.controls
                name = row.source or str(number)
                worst[name] = max(worst.get(name, row.controls), row.controls, key=count_missed)
        # Only the worst block of a document counts. The worst document is left out: it may be hostile.
        apart = sum(sorted(worst.values(), key=count_missed)[:-1], start=Controls())
        planted = apart.planted + apart.repeated
        if planted >= BAD_FROM and count_missed(apart) > BAD_MISSES * planted:
            return "bad"
        count = last.planted + last.repeated
        are_few = count_missed(last) <= GOOD_MISSES * count
        are_few &= last.borrowed - last.borrowed_caught <= GOOD_MISSES * last.borrowed
        return "good" if count >= GOOD_FROM and are_few and exams[-1:] == ["edits"] else "unknown"

    def add_result(self, served: str, **facts: Any) -> None:
        """Appends the counts of a block, or an exam, by the model `served`. Ignores errors of the file."""
        row = _Row(reader=self._reader, at=int(time()), served=served, **facts)
        with suppress(OSError):
            make_private_folder(self._file.parent)
            with FileLock(f"{self._file}.lock", mode=0o600):
                self._file.touch(mode=0o600)
                if self._file.stat().st_size > _LONGEST:
                    write_whole(self._file, _json_lines(_read_rows(self._file)[-_MOST_ROWS:]))
                with self._file.open("a", encoding="utf-8") as out:
                    out.write(_json_lines([row]))


def count_missed(controls: Controls) -> int:
    """Counts misjudged planted sentences: errors not corrected, and contradicted ones without an error."""
    return controls.planted - controls.caught + controls.repeated - controls.confirmed


def _json_lines(rows: Iterable[_Row]) -> str:
    return "".join(row.model_dump_json(exclude_none=True) + "\n" for row in rows)


def _read_rows(file: Path) -> list[_Row]:
    rows: list[_Row] = []
    with suppress(OSError):
        for line in file.read_bytes().splitlines():
            with suppress(ValidationError):
                rows.append(_Row.model_validate_json(line))
    return [row for row in rows if row.at > time() - KEPT_DAYS * 86_400]
