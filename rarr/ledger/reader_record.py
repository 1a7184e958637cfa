"""Keeps how readers did on planted controls, so that a good reader is doubted less and a bad one never used.

The record is a file of JSON lines in the data folder: one line for the controls of a block, or for an exam.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from time import time
from typing import Any, Literal, NamedTuple

from filelock import FileLock

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


class ReaderRecord:
    """The record of one reader in `folder`, as it was when it was opened.

    `reader` names it: the model, its server and the hash of its prompt. Texts of different languages, and
    different models that answer under the name, are kept apart.
    """

    def __init__(self, folder: Path, reader: Sequence[str]) -> None:
        self._file = folder / FILE
        self._reader = "\t".join(reader)
        self._rows = [row for row in _rows(self._file) if row["reader"] == self._reader]

    def standing(self, language: str) -> Standing:
        """Tells from the last controls whether the reader may be relied on for a text in this language."""
        rows = self._rows
        exams = [row["passed"] for row in rows if "passed" in row and row["served"] == rows[-1]["served"]]
        outcomes = _last(
            [
                Outcomes(*row["controls"])
                for row in rows
                if row.get("language") == language and row["served"] == rows[-1]["served"]
            ]
        )
        apart, apart_missed, *_ = _sums(_worst_of_each_source(outcomes))
        if apart >= BAD_FROM and apart_missed > BAD_MISSES * apart:
            return "bad"
        planted, missed, borrowed, borrowed_missed = _sums(outcomes)
        few = missed <= GOOD_MISSES * planted and borrowed_missed <= GOOD_MISSES * borrowed
        return "good" if planted >= GOOD_FROM and few and exams[-1:] == [True] else "unknown"

    def add(self, language: str, served: str, outcomes: Sequence[Outcomes]) -> None:
        """Appends the controls of some blocks. A folder that cannot be written keeps no record."""
        facts = {"language": language, "served": served}
        self._append([{**facts, "controls": list(outcome)} for outcome in outcomes])

    def add_exam(self, served: str, *, passed: bool) -> None:
        """Appends the result of an exam."""
        self._append([{"served": served, "passed": passed}])

    def _append(self, rows: Sequence[dict[str, Any]]) -> None:
        facts = {"reader": self._reader, "at": int(time())}
        lines = "".join(json.dumps({**facts, **row}, ensure_ascii=False) + "\n" for row in rows)
        try:
            private_folder(self._file.parent)
            with FileLock(f"{self._file}.lock"):
                if self._file.exists() and self._file.stat().st_size > _LONGEST:
                    kept = _rows(self._file)[-_MOST_ROWS:]
                    write_whole(self._file, "".join(json.dumps(row) + "\n" for row in kept))
                private_file(self._file)
                with self._file.open("a", encoding="utf-8") as out:
                    out.write(lines)
        except OSError:
            return


def _rows(file: Path) -> list[dict[str, Any]]:
    """Reads the rows of the last 30 days; a line that cannot be read is left out."""
    try:
        lines = file.read_text(encoding="utf-8", errors="replace").splitlines()
    except OSError:
        return []
    rows = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        if _is_row(row) and row["at"] > time() - KEPT_DAYS * 86_400:
            rows.append(row)
    return rows


def _is_row(row: Any) -> bool:
    if not isinstance(row, dict) or not {"reader", "at", "served"} <= row.keys():
        return False
    controls = row.get("controls", [0, 0, 0, 0])
    counts = isinstance(controls, list) and 4 <= len(controls) <= len(Outcomes._fields)
    return counts and all(isinstance(number, int) for number in [row["at"], *controls[:4]])


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
