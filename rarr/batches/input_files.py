"""Checks the paths of a batch, and copies an open input to a file."""

import shutil
from pathlib import Path
from typing import BinaryIO

from rarr.batches.input_rows import format_of
from rarr.batches.parquet import require_parquet
from rarr.errors import InputError
from rarr.tools.storage.files import writing


def require_usable(source: Path | BinaryIO, out: Path) -> None:
    """Raises `RarrError` for names without a format, without pyarrow, and for one file that is both."""
    kinds = [format_of(path) for path in (source, out) if isinstance(path, Path)]
    if "parquet" in kinds:
        require_parquet()
    if isinstance(source, Path) and source.absolute() == out.absolute():
        raise InputError(f"{out} is the input: give another path for the output")
    if out.is_dir():
        raise InputError(f"{out} is a folder: give the path of a file")


def input_file(source: Path | BinaryIO, folder: Path) -> Path:
    """Returns the path of the input. An open file is copied first, since its rows are read several times."""
    if isinstance(source, Path):
        return source
    copy = folder / "input.jsonl"
    with writing(folder), copy.open("wb") as file:
        shutil.copyfileobj(source, file)
    return copy


def state_of(path: Path) -> object:
    """Returns what changes with a file: its size and time; None for a file that cannot be found."""
    try:
        return (state := path.stat()).st_size, state.st_mtime_ns
    except OSError:
        return None
