"""Keeps each result at once as a JSON line, so that an interrupted run can continue."""

import hashlib
import json
from collections.abc import Iterable, Iterator, Sequence
from pathlib import Path
from typing import Any, TypeVar

PRINTED_EVERY = 200  # results after which a line says how many there are
BATCH = 50
Row = TypeVar("Row")


class Kept:
    """The results of one measure by key. A kept result is not measured again."""

    def __init__(self, path: Path) -> None:
        """Reads the kept results. A last line that was cut off while it was written is dropped."""
        self._path = path
        self._results: dict[tuple[str, ...], Any] = {}
        path.parent.mkdir(parents=True, exist_ok=True)
        if path.is_file():
            whole = path.read_bytes()
            lines = whole[: whole.rfind(b"\n") + 1]
            if len(lines) < len(whole):
                path.write_bytes(lines)
            for line in lines.splitlines():
                read = json.loads(line)
                self._results[tuple(read["key"])] = read["value"]

    def __contains__(self, key: tuple[str, ...]) -> bool:
        return key in self._results

    def __getitem__(self, key: tuple[str, ...]) -> Any:
        return self._results[key]

    def add(self, key: tuple[str, ...], value: Any) -> None:
        """Keeps a result. JSON must be able to hold it."""
        with self._path.open("a", encoding="utf-8") as lines:
            lines.write(json.dumps({"key": key, "value": value}) + "\n")
        self._results[key] = value
        if len(self._results) % PRINTED_EVERY == 0:
            print(f"  {len(self._results)} results in {self._path.name}", flush=True)

    def of(self, keys: Iterable[tuple[str, ...]]) -> list[Any] | None:
        """The results for the keys, in order; None if one of them was not measured."""
        wanted = list(keys)
        return [self._results[key] for key in wanted] if all(key in self._results for key in wanted) else None


def batches(todo: Sequence[Row]) -> Iterator[Sequence[Row]]:
    """Splits rows into batches that are measured in one call: an interrupted run loses at most a batch."""
    for at in range(0, len(todo), BATCH):
        yield todo[at : at + BATCH]


def fingerprint(*folders: Path) -> str:
    """Twelve digits that identify the measured code: all files, weights included, except bytecode."""
    digest = hashlib.sha256()
    for folder in folders:
        for path in sorted(folder.rglob("*")):
            if path.is_file() and "__pycache__" not in path.parts:
                digest.update(f"{path.relative_to(folder.parent)}\n".encode())
                digest.update(hashlib.sha256(path.read_bytes()).digest())
    return digest.hexdigest()[:12]
