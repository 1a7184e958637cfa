"""Lines are in a file as a whole, or not at all."""

import os
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.tools.storage.line_files import Appending, locked, whole_lines, writing


def test_truncated_last_line_is_removed(tmp_path: Path) -> None:
    path = tmp_path / "f"
    path.write_bytes(b"one\ntwo\nthr")
    assert list(whole_lines(path)) == [b"one\n", b"two\n"]
    assert path.read_bytes() == b"one\ntwo\n"


def test_missing_file_has_no_lines(tmp_path: Path) -> None:
    assert list(whole_lines(tmp_path / "f")) == []


def test_lines_are_added_whole_with_short_writes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write = os.write
    monkeypatch.setattr(os, "write", lambda handle, line: write(handle, line[:2]))
    with Appending(tmp_path / "f") as lines:
        lines.add(b"one\n")
        lines.add(b"three\n")
    lines.add(b"late\n")
    assert (tmp_path / "f").read_bytes() == b"one\nthree\n"


def test_operating_system_error_names_the_cure(tmp_path: Path) -> None:
    with (
        pytest.raises(InputError, match=r"cannot be written \(Is a directory\): correct that"),
        writing(tmp_path),
    ):
        Appending(tmp_path)


def test_lock_is_exclusive(tmp_path: Path) -> None:
    with (
        locked(tmp_path / "new" / "lock", "it is in use"),
        pytest.raises(InputError, match="it is in use"),
        locked(tmp_path / "new" / "lock", "it is in use"),
    ):
        pass
    with locked(tmp_path / "new" / "lock", "it is in use"):
        pass
