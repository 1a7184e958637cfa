"""An index has the content of its corpus, also after a crash, changes, damage, and with another version."""

import asyncio
import json
import os
import random
import shutil
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from unittest.mock import Mock

import pytest

from rarr.errors import InputError
from rarr.retrievers.corpus import corpus
from rarr.retrievers.corpus.corpus import Corpus, IndexReport, scan
from rarr.retrievers.corpus.passage_index import MANIFEST, IndexReader
from rarr.retrievers.extract import files as extraction
from retrievers.makers import build_corpus_index

Build = Callable[[], IndexReport]


def names(path: Path) -> list[str]:
    return [file.name for file in scan(path)[0]]


def test_supported_files_are_found_at_any_depth_but_not_those_of_an_index(folder: Path) -> None:
    (folder / "program.py").write_text("x")
    (folder / "index").mkdir()
    (folder / "index" / MANIFEST).touch()
    (folder / "index" / "meta.json").write_text("{}")
    assert names(folder) == ["peaches.md", "more/paris.txt"]


def test_links_elsewhere_and_to_folders_and_odd_files_are_skipped(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "secret.md").write_text("Secret.")
    (folder / "more" / "one.md").symlink_to(tmp_path / "secret.md")
    (folder / "more" / "program.py").symlink_to(tmp_path / "secret.md")
    (tmp_path / "step.md").symlink_to(folder / "peaches.md")
    (folder / "two.md").symlink_to(tmp_path / "step.md")  # out and in again: it ends in the corpus
    (folder / "loop").symlink_to(folder)
    os.mkfifo(folder / "pipe.txt")
    with (folder / "huge.txt").open("wb") as file:
        file.truncate(10_000_000_000)
    assert names(folder) == ["peaches.md", "two.md", "more/paris.txt"]
    assert scan(folder)[1] == [
        ("loop", "links to folders are not followed"),
        ("huge.txt", "it holds more than 200 MB: split it"),
        ("pipe.txt", "it is not a regular file"),
        ("more/one.md", "a link that leads out of the corpus is not followed"),
    ]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def build(folder: Path, out: Path) -> Build:
    return lambda: build_corpus_index(folder, out)


def counts(report: IndexReport) -> tuple[int, int, int]:
    return report.read, report.unchanged, report.removed


def test_changed_files_alone_are_read_again_for_a_reader(build: Build, out: Path, folder: Path) -> None:
    assert counts(build()) == (2, 0, 0)
    reader = IndexReader(out, 4)
    before = reader.searcher()
    (folder / "peaches.md").write_text("Pears instead. Nothing else.")
    assert counts(build()) == (1, 1, 0)
    (folder / "peaches.md").unlink()
    assert counts(build()) == (0, 1, 1)
    assert counts(build()) == (0, 1, 0)
    assert (before.num_docs, reader.searcher().num_docs) == (4, 1)


def test_parts_that_cannot_be_read_are_named_and_files_of_a_failing_system_tried_again(
    folder: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.jsonl").write_text('{"text": "Good line."}\nbad\n')
    (folder / "b.jsonl").write_text("bad\n")
    with monkeypatch.context() as patched:
        refuse = Mock(side_effect=PermissionError(13, "Permission denied"))
        patched.setitem(extraction._READERS, ".txt", refuse)
        report = build()
    no_json = "line {} is left out: its JSON cannot be read (Expecting value: line 1 column 1 (char 0))"
    assert [(Path(file).name, reason) for file, reason in [*report.skipped, *report.notes]] == [
        ("paris.txt", "not searched: it cannot be read (Permission denied)"),
        ("b.jsonl", "not searched: it holds no text"),
        ("a.jsonl", no_json.format(2)),
        ("b.jsonl", no_json.format(1)),
    ]
    assert (len(report.skipped), counts(build())) == (2, (1, 2, 0))


def test_index_that_cannot_be_made_is_an_input_error(folder: Path, tmp_path: Path, out: Path) -> None:
    (tmp_path / "empty.md").touch()
    (tmp_path / "old.doc").touch()
    for path, place, message in (
        (tmp_path / "none", out, r"none' cannot be read \(No such file.*: give a folder, a file or a"),
        (tmp_path / "old.doc", out, r"nothing to read .*old\.doc: files of its kind are not read"),
        (tmp_path / "empty.md", out, r"empty\.md: not searched: it holds no text\): repair it or give"),
        (folder, folder, r"holds other files, such as .*: give a new folder"),
        (folder, tmp_path / "empty.md" / "index", r"cannot be written \(.*\): .* RARR_HOME"),
    ):
        with pytest.raises(InputError, match=message):
            build_corpus_index(path, place)


def test_index_that_lost_any_file_is_rebuilt(build: Build, folder: Path, out: Path) -> None:
    build()
    (folder / "peaches.md").write_text("Pears instead. Nothing else.")
    expected, kept = build(), out.with_name("kept")
    for file in [path.relative_to(out) for path in out.rglob("*") if path.is_file()]:
        shutil.copytree(out, kept)
        (out / file).unlink()
        assert build().passages == expected.passages
        assert len(all_passages(out, "pears France")) == 2
        shutil.rmtree(out)
        kept.rename(out)


@pytest.mark.parametrize("name", ["passages/meta.json", MANIFEST])
@pytest.mark.parametrize("content", [b"", b"nonsense" * 1000, b'{"format": "3"}'])
def test_damage_names_its_cure_and_is_rebuilt(build: Build, out: Path, name: str, content: bytes) -> None:
    expected = build()
    (out / name).write_bytes(content)
    with pytest.raises(InputError, match=r"(is damaged|another version)[^\n]*: delete the folder, or"):
        Corpus.open(out, home=out.parent, window=4)
    assert build() == expected


def test_a_read_only_index_is_read(build: Build, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    for lock in out.rglob("*.lock"):
        lock.unlink()
    everything = sorted(out.rglob("*"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert len(all_passages(out, "China")) == 1
    assert sorted(out.rglob("*")) == everything


BUILD = """
import pathlib, sys
from rarr.retrievers.corpus.corpus import build_index
print("ready", flush=True)
print(build_index(*map(pathlib.Path, sys.argv[1:]), window=4).passages)
"""


@pytest.fixture
def large_folder(tmp_path: Path) -> Path:
    """Makes sixty files of ten documents, each with its own words."""
    folder = tmp_path / "many"
    folder.mkdir()
    rewrite(folder, range(60), "pears")
    return folder


def rewrite(folder: Path, files: list[int] | range, fruit: str) -> None:
    rest = f"grows {fruit}. They are green. They sell. So it is. It is"
    for file in files:
        lines = (json.dumps({"text": f"Town{file}x{n} {rest} {n}."}) for n in range(10))
        (folder / f"{file:02}.jsonl").write_text("\n".join(lines))


def build_apart(source: Path, out: Path) -> subprocess.Popen[str]:
    """Starts a process that builds an index, and waits until its imports are done."""
    command = [sys.executable, "-c", BUILD, str(source), str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "ready\n"
    return process


def all_passages(index: Path, query: str = "pears plums sell") -> list[tuple[str, str, int]]:
    """Returns all passages for a query, in a fixed order."""
    passages = asyncio.run(Corpus.open(index, home=index, window=4).retrieve(query, 1000))
    return sorted((passage.source, passage.text, passage.start) for passage in passages)


@pytest.mark.slow
def test_a_killed_build_can_be_continued(large_folder: Path, tmp_path: Path, out: Path) -> None:
    chance = random.Random(1)
    build_corpus_index(large_folder, out)
    for fruit in ("plums", "pears", "plums"):
        rewrite(large_folder, chance.sample(range(60), 40), fruit)
        before = all_passages(out)
        for _ in range(3):
            process = build_apart(large_folder, out)
            time.sleep(chance.uniform(0, 0.3))
            process.kill()
            process.communicate()
            assert len(all_passages(out)) == len(before)
    build_corpus_index(large_folder, out)
    build_corpus_index(large_folder, tmp_path / "fresh")
    assert all_passages(out) == all_passages(tmp_path / "fresh")


@pytest.mark.slow
def test_two_processes_that_build_at_once_build_one_index(large_folder: Path, out: Path) -> None:
    both = [build_apart(large_folder, out) for _ in range(2)]
    assert [process.communicate()[0] for process in both] == ["1200\n"] * 2
    assert len(all_passages(out)) == 1200


@pytest.mark.slow
def test_readers_see_every_document_once_at_every_moment_of_a_build(large_folder: Path, out: Path) -> None:
    build_corpus_index(large_folder, out)
    opened = Corpus.open(out, home=out, window=4)
    for fruit in ("plums", "pears"):
        rewrite(large_folder, range(60), fruit)
        process = build_apart(large_folder, out)
        while process.poll() is None:
            passages = asyncio.run(opened.retrieve("pears plums", 1000))
            assert len({passage.source for passage in passages}) == len(passages) == 600
        process.communicate()


def test_removed_file_of_a_killed_build_leaves_no_passage(
    folder: Path, build: Build, out: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    build()
    (folder / "new.md").write_text("Pears sell well.")
    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr(corpus, "write_whole", lambda *_: 1 / 0)
        build()
    (folder / "new.md").unlink()
    build()
    assert all_passages(out, "pears") == []
