"""Files are there as a whole."""

import os
from pathlib import Path

import pytest

from rarr.tools.storage.atomic_files import write_whole


def test_writing_replaces_the_old_text(tmp_path: Path) -> None:
    write_whole(tmp_path / "f", "one\n")
    write_whole(tmp_path / "f", "zwei é\n")
    assert ((tmp_path / "f").read_bytes(), [*tmp_path.iterdir()]) == ("zwei é\n".encode(), [tmp_path / "f"])


def test_failed_writing_keeps_the_old_text(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    write_whole(tmp_path / "f", "one\n")

    def full(handle: int) -> None:
        raise OSError("No space left on device")

    monkeypatch.setattr(os, "fsync", full)
    with pytest.raises(OSError, match="No space"):
        write_whole(tmp_path / "f", "two\n")
    assert (tmp_path / "f").read_text() == "one\n"
