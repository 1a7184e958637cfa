"""Builds that die, meet each other, or are watched: the index is whole at every moment."""

import asyncio
import json
import random
import subprocess
import sys
import time
from pathlib import Path

import pytest

from rarr.retrievers.corpus import index_building
from rarr.retrievers.corpus.corpus import Corpus
from retrievers.makers import RULES, built

BUILD = """
import sys
from pathlib import Path
from rarr.retrievers.corpus import index_building
print("ready", flush=True)
paths = map(Path, sys.argv[1:])
print(index_building.build_index(*paths, window=4).passages)
"""


@pytest.fixture
def many(tmp_path: Path) -> Path:
    """Sixty files of ten documents, each with words of its own."""
    folder = tmp_path / "many"
    folder.mkdir()
    for file in range(60):
        rewrite(folder, file, "pears")
    return folder


def rewrite(folder: Path, file: int, fruit: str) -> None:
    texts = (
        f"Town{file}x{n} grows {fruit}. They are green. They sell. So it is. It is {n}." for n in range(10)
    )
    lines = (json.dumps({"text": text}) for text in texts)
    (folder / f"{file:02}.jsonl").write_text("\n".join(lines))


def build_apart(source: Path, out: Path) -> subprocess.Popen[str]:
    """A building process that is past its imports."""
    command = [sys.executable, "-c", BUILD, str(source), str(out)]
    process = subprocess.Popen(command, stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
    assert process.stdout and process.stdout.readline() == "ready\n"
    return process


def retrieved(index: Path, query: str = "pears plums sell") -> list[tuple[str, str, int]]:
    """All passages for a query, in an order of their own."""
    corpus = Corpus.open(index, home=index, **RULES)
    passages = asyncio.run(corpus.retrieve(query, 1000))
    return sorted((passage.source, passage.text, passage.start) for passage in passages)


@pytest.mark.slow
def test_a_killed_build_can_be_continued(many: Path, tmp_path: Path) -> None:
    chance = random.Random(1)
    built(many, tmp_path / "out")
    for fruit in ("plums", "pears", "plums"):
        for file in chance.sample(range(60), 40):
            rewrite(many, file, fruit)
        before = retrieved(tmp_path / "out")
        for _ in range(3):
            process = build_apart(many, tmp_path / "out")
            time.sleep(chance.uniform(0, 0.3))
            process.kill()
            process.communicate()
            assert len(retrieved(tmp_path / "out")) == len(before)
    built(many, tmp_path / "out")
    built(many, tmp_path / "fresh")
    assert retrieved(tmp_path / "out") == retrieved(tmp_path / "fresh")


@pytest.mark.slow
def test_two_processes_that_build_at_once_build_one_index(many: Path, tmp_path: Path) -> None:
    both = [build_apart(many, tmp_path / "out") for _ in range(2)]
    assert [process.communicate()[0] for process in both] == ["1200\n"] * 2
    assert len(retrieved(tmp_path / "out")) == 1200


@pytest.mark.slow
def test_readers_see_every_document_once_at_every_moment_of_a_build(many: Path, tmp_path: Path) -> None:
    built(many, tmp_path / "out")
    corpus = Corpus.open(tmp_path / "out", home=tmp_path, **RULES)
    for fruit in ("plums", "pears"):
        for file in range(60):
            rewrite(many, file, fruit)
        process = build_apart(many, tmp_path / "out")
        while process.poll() is None:
            passages = asyncio.run(corpus.retrieve("pears plums", 1000))
            assert len({passage.source for passage in passages}) == len(passages) == 600
        process.communicate()


def test_removed_file_of_a_killed_build_leaves_no_passage(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    built(folder, tmp_path / "out")
    (folder / "new.md").write_text("Pears sell well.")
    with monkeypatch.context() as patched, pytest.raises(ZeroDivisionError):
        patched.setattr(index_building, "write_whole", lambda *_: 1 / 0)
        built(folder, tmp_path / "out")
    (folder / "new.md").unlink()
    built(folder, tmp_path / "out")
    assert retrieved(tmp_path / "out", "pears") == []
