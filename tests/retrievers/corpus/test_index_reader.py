import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from rarr.errors import InputError, RetrievalError
from rarr.retrievers.corpus.index_reader import IndexReader, failures
from rarr.retrievers.corpus.manifest import MANIFEST
from rarr.retrievers.corpus.tantivy_index import best_hits
from retrievers.makers import built


@pytest.fixture
def index(folder: Path, tmp_path: Path) -> Path:
    built(folder, tmp_path / "index")
    return tmp_path / "index"


def names(reader: IndexReader) -> list[str]:
    return sorted(reader.snapshot().names.values())


def test_a_reader_sees_the_next_build(index: Path, folder: Path) -> None:
    reader = IndexReader(index, 4, 1)
    before = reader.snapshot()
    (folder / "peaches.md").unlink()
    built(folder, index)
    assert names(reader) == ["more/paris.txt"]
    assert (before.searcher.num_docs, reader.snapshot().searcher.num_docs) == (4, 1)


def test_a_build_that_changes_nothing_leaves_readers_alone(index: Path, folder: Path) -> None:
    reader = IndexReader(index, 4, 1)
    before = reader.snapshot()
    built(folder, index)
    assert reader.snapshot() is before


def test_a_read_only_index_is_read(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lock in index.rglob("*.lock"):
        lock.unlink()
    files = sorted(index.rglob("*"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    reader = IndexReader(index, 4, 1)
    assert len(names(reader)) == 2
    assert len(best_hits(reader.snapshot().searcher, ["china"], 5)) == 1
    assert sorted(index.rglob("*")) == files


@pytest.mark.parametrize("name", ["passages/meta.json", MANIFEST])
@pytest.mark.parametrize("content", [b"", b"{}", b"nonsense" * 1000])
def test_damage_is_an_input_error_that_names_the_cure(index: Path, name: str, content: bytes) -> None:
    (index / name).write_bytes(content)
    with pytest.raises(
        InputError, match=r"is damaged \([^\n]*\): delete the folder, or build it again: rarr index"
    ):
        IndexReader(index, 4, 1)


@pytest.mark.parametrize("pattern", ["*.store", "*.term", "*.fast", "meta.json"])
def test_missing_passages_are_an_input_error(index: Path, pattern: str) -> None:
    for file in (index / "passages").glob(pattern):
        file.unlink()
    with pytest.raises(InputError, match="is damaged"):
        IndexReader(index, 4, 1)


def test_another_version_is_an_input_error(index: Path) -> None:
    with closing(sqlite3.connect(index / MANIFEST)) as manifest, manifest:
        manifest.execute("UPDATE facts SET value = '0' WHERE name = 'format'")
    with pytest.raises(InputError, match=r"made by another version of rarr: delete the folder"):
        IndexReader(index, 4, 1)


class PanicException(BaseException):
    """Named as what tantivy raises."""


@pytest.mark.parametrize(
    "raised", [OSError("no\nspace"), ValueError("bad"), sqlite3.Error("x"), PanicException()]
)
def test_failures_become_a_one_line_retrieval_error(raised: BaseException) -> None:
    with pytest.raises(RetrievalError) as caught, failures(RetrievalError):
        raise raised
    assert "\n" not in str(caught.value)
