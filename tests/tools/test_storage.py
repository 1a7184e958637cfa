"""Files are complete, also if their writing is interrupted."""

import os
import resource
import signal
from contextlib import closing
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.tools.storage.files import LineAppender, lock_file, repaired_lines, write_whole


def test_failed_writing_keeps_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "f", "zwei é\n")

    def full(handle: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "f", "two\n")
    assert (tmp_path / "f").read_bytes() == "zwei é\n".encode()


def test_lines_are_whole_and_an_incomplete_one_goes(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path, write = tmp_path / "f", os.write
    assert list(repaired_lines(path)) == []
    path.write_bytes(b"one\nthr")
    assert list(repaired_lines(path)) == [b"one\n"]
    monkeypatch.setattr(os, "write", lambda handle, line: write(handle, line[:2]))
    with closing(LineAppender(path)) as lines:
        assert lines.append_line(b"three\n") == 4
    assert lines.append_line(b"late\n") == -1
    assert path.read_bytes() == b"one\nthree\n"


def test_line_that_does_not_fit_on_the_disk_leaves_nothing_behind(tmp_path: Path) -> None:
    limits = resource.getrlimit(resource.RLIMIT_FSIZE)
    ignored = signal.signal(signal.SIGXFSZ, signal.SIG_IGN)
    with closing(LineAppender(tmp_path / "f")) as lines:
        lines.append_line(b"one\n")
        resource.setrlimit(resource.RLIMIT_FSIZE, (6, limits[1]))
        try:
            with pytest.raises(InputError, match="cannot be written"):
                lines.append_line(b"three\n")
        finally:
            resource.setrlimit(resource.RLIMIT_FSIZE, limits)
            signal.signal(signal.SIGXFSZ, ignored)
        assert lines.append_line(b"four\n") == 4
    assert (tmp_path / "f").read_bytes() == b"one\nfour\n"


def test_lock_is_exclusive(tmp_path: Path) -> None:
    lock = tmp_path / "new" / "lock"
    for _ in range(2):
        with lock_file(lock, "in use"), pytest.raises(InputError, match="in use"), lock_file(lock, "in use"):
            pass
