"""A scan lists files in a stable order, and says of the others why they are skipped."""

import os
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.retrievers.corpus.index_building import scan
from rarr.retrievers.corpus.passage_index import MANIFEST


def names(path: Path) -> list[str]:
    return [file.name for file in scan(path)[0]]


def test_supported_files_are_found_at_any_depth_but_not_those_of_an_index(folder: Path) -> None:
    (folder / "program.py").write_text("x")
    (folder / "index").mkdir()
    (folder / "index" / MANIFEST).touch()
    (folder / "index" / "meta.json").write_text("{}")
    assert names(folder) == ["peaches.md", "more/paris.txt"]


def test_links_elsewhere_and_to_folders_are_reported_and_not_followed(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Secret.")
    (folder / "more" / "one.md").symlink_to(tmp_path / "secret.md")
    (folder / "more" / "program.py").symlink_to(tmp_path / "secret.md")
    (tmp_path / "step.md").symlink_to(folder / "peaches.md")
    (folder / "two.md").symlink_to(tmp_path / "step.md")  # out and in again: it ends in the corpus
    (folder / "loop").symlink_to(folder)
    assert names(folder) == ["peaches.md", "two.md", "more/paris.txt"]
    assert scan(folder)[1] == [
        ("loop", "links to folders are not followed"),
        ("more/one.md", "a link that leads out of the corpus is not followed"),
    ]


def test_large_files_are_skipped_without_reading(folder: Path) -> None:
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(10_000_000_000)
    assert scan(folder)[1] == [("huge.txt", "it holds more than 200 MB: split it")]


def test_nothing_readable_is_an_input_error_that_says_why(tmp_path: Path) -> None:
    os.mkfifo(tmp_path / "pipe.txt")
    with pytest.raises(InputError, match=r"pipe.txt: it is not a regular file"):
        scan(tmp_path)
    with pytest.raises(
        InputError, match=r"none' cannot be read \(No such file.*: give a folder, a file or a"
    ):
        scan(tmp_path / "none")
