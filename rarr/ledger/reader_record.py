"""Keeps how readers did on planted controls, so that a good reader is doubted less and a bad one never used.

The record is a file of JSON lines in the data folder: one line for the controls of a block, or for an exam.
"""

import json
from collections.abc import Sequence
from pathlib import Path
from time import time
from typing import Any, Literal, NamedTuple

from filelock import FileLock

from rarr.tools.storage.atomic_files import private_file, private_folder, write_whole

Standing = Literal["good", "unknown", "bad"]

FILE = "readers.jsonl"
KEPT_CONTROLS, KEPT_DAYS = 200, 30
GOOD_FROM, GOOD_MISSES = 60, 0.03
BAD_FROM, BAD_MISSES = 20, 0.10
_LONGEST, _MOST_ROWS = 2_000_000, 5000  # bytes of the file, above which only its last rows are kept


class Outcomes(NamedTuple):
    """The controls of one block: how many were planted and missed, those with borrowed values apart.

    `source` names the source that they were made from: misses of blocks that share it count once.
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
        planted = sum(outcome.planted for outcome in outcomes)
        borrowed = sum(outcome.borrowed for outcome in outcomes)
        missed, borrowed_missed = _misses(outcomes, borrowed=False), _misses(outcomes, borrowed=True)
        if planted >= BAD_FROM and missed > BAD_MISSES * planted:
            return "bad"
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
        lines = file.read_text(encoding="utf-8").splitlines()
    except (OSError, UnicodeDecodeError):
        return []
    rows = []
    for line in lines:
        try:
            row = json.loads(line)
        except ValueError:
            continue
        is_row = isinstance(row, dict) and {"reader", "at", "served"} <= row.keys()
        if is_row and row["at"] > time() - KEPT_DAYS * 86_400:
            rows.append(row)
    return rows


def _last(outcomes: Sequence[Outcomes]) -> list[Outcomes]:
    """Returns the last blocks, with about 200 controls together."""
    kept: list[Outcomes] = []
    for outcome in reversed(outcomes):
        if sum(each.planted for each in kept) >= KEPT_CONTROLS:
            break
        kept.append(outcome)
    return kept


def _misses(outcomes: Sequence[Outcomes], *, borrowed: bool) -> int:
    """Counts misses; of the blocks that share a source, the block with most misses counts alone."""
    by_source: dict[str, int] = {}
    total = 0
    for outcome in outcomes:
        missed = outcome.borrowed_missed if borrowed else outcome.missed
        if outcome.source:
            by_source[outcome.source] = max(missed, by_source.get(outcome.source, 0))
        else:
            total += missed
    return total + sum(by_source.values())
