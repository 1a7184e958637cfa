"""Keeps how readers did on planted controls, so that a good reader is doubted less and a bad one never used.

The record is a file of JSON lines in the data folder: one line for the controls of a block, or for an exam.
"""

from collections.abc import Sequence
from pathlib import Path
from time import time
from typing import Any, Literal, NamedTuple

from filelock import FileLock
from pydantic import BaseModel, ValidationError

from rarr.tools.storage.files import private_file, private_folder, write_whole

Standing = Literal["good", "unknown", "bad"]

FILE = "readers.jsonl"
KEPT_CONTROLS, KEPT_DAYS = 200, 30
GOOD_FROM, GOOD_MISSES = 60, 0.03
BAD_FROM, BAD_MISSES = 20, 0.10
_LONGEST, _MOST_ROWS = 2_000_000, 5000  # bytes of the file, above which only its last rows are kept


class Outcomes(NamedTuple):
    """The controls of one block: how many were planted and missed, those with borrowed values apart.

    `source` is the document that they were made from. Of the blocks that share it, the worst counts alone
    against a reader, so that one hostile document does not make a reader bad; all count for a good record.
    """

    planted: int
    missed: int
    borrowed: int
    borrowed_missed: int
    source: str = ""


class _Row(BaseModel):
    """A line of the file: the controls of a block in a text of this language, or the result of an exam."""

    reader: str
    at: int
    served: str
    language: str = ""
    controls: Outcomes | None = None
    passed: bool | None = None


class ReaderRecord:
    """The record of one reader in `folder`, as it was when it was opened.

    `reader` names it: the model, its server and the hash of its prompt. Texts of different languages, and
    different models that answer under the name, are kept apart.
    """

    def __init__(self, folder: Path, reader: Sequence[str]) -> None:
        self._file = folder / FILE
        self._reader = "\t".join(reader)
        rows = [row for row in _rows(self._file) if row.reader == self._reader]
        self._rows = [row for row in rows if row.served == rows[-1].served]

    def standing(self, language: str) -> Standing:
        """Tells from the last controls whether the reader may be relied on for a text in this language."""
        exams = [row.passed for row in self._rows if row.passed is not None]
        outcomes = _last([row.controls for row in self._rows if row.controls and row.language == language])
        apart, apart_missed, *_ = _sums(_worst_of_each_source(outcomes))
        if apart >= BAD_FROM and apart_missed > BAD_MISSES * apart:
            return "bad"
        planted, missed, borrowed, borrowed_missed = _sums(outcomes)
        few = missed <= GOOD_MISSES * planted and borrowed_missed <= GOOD_MISSES * borrowed
        return "good" if planted >= GOOD_FROM and few and exams[-1:] == [True] else "unknown"

    def add(self, language: str, served: str, outcomes: Sequence[Outcomes]) -> None:
        """Appends the controls of some blocks. A folder that cannot be written keeps no record."""
        self._append([{"language": language, "served": served, "controls": outcome} for outcome in outcomes])

    def add_exam(self, served: str, *, passed: bool) -> None:
        """Appends the result of an exam."""
        self._append([{"served": served, "passed": passed}])

    def _append(self, facts: Sequence[dict[str, Any]]) -> None:
        lines = _lines([_Row(reader=self._reader, at=int(time()), **fact) for fact in facts])
        try:
            private_folder(self._file.parent)
            with FileLock(f"{self._file}.lock"):
                if self._file.exists() and self._file.stat().st_size > _LONGEST:
                    write_whole(self._file, _lines(_rows(self._file)[-_MOST_ROWS:]))
                private_file(self._file)
                with self._file.open("a", encoding="utf-8") as out:
                    out.write(lines)
        except OSError:
            return


def _lines(rows: Sequence[_Row]) -> str:
    return "".join(row.model_dump_json(exclude_none=True) + "\n" for row in rows)


def _rows(file: Path) -> list[_Row]:
    """Reads the rows of the last 30 days; a line that cannot be read is left out."""
    try:
        lines = file.read_bytes().splitlines()
    except OSError:
        return []
    rows: list[_Row] = []
    for line in lines:
        try:
            rows.append(_Row.model_validate_json(line))
        except ValidationError:
            continue
    return [row for row in rows if row.at > time() - KEPT_DAYS * 86_400]


def _last(outcomes: Sequence[Outcomes]) -> list[Outcomes]:
    """Returns the last blocks, with about 200 controls together."""
    kept: list[Outcomes] = []
    for outcome in reversed(outcomes):
        if sum(each.planted for each in kept) >= KEPT_CONTROLS:
            break
        kept.append(outcome)
    return kept


def _sums(outcomes: Sequence[Outcomes]) -> list[int]:
    """Adds up planted, missed, and those of both with borrowed values."""
    return [sum(int(outcome[column]) for outcome in outcomes) for column in range(4)]


def _worst_of_each_source(outcomes: Sequence[Outcomes]) -> list[Outcomes]:
    """Keeps one block of each source, that with most misses."""
    worst: dict[str, Outcomes] = {}
    for number, outcome in enumerate(outcomes):
        key = outcome.source or str(number)
        worst[key] = max(worst.get(key, outcome), outcome, key=lambda it: (it.missed, it.borrowed_missed))
    return list(worst.values())
