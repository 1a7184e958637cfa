import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tantivy import Searcher

from rarr.errors import InputError
from rarr.retrievers.corpus.chunking import Window
from rarr.retrievers.corpus.passage_index import (
    MANIFEST,
    IndexReader,
    Stored,
    add,
    best_hits,
    holds,
    is_index,
    open_passages,
    open_writer,
    remove,
    stored_passage,
)
from rarr.retrievers.extract.extracted_document import Document
from retrievers.makers import built

DOCUMENT = Document("Pears. Café au lait.", "Breakfast", "https://x.org", 7, datetime(2020, 3, 4, tzinfo=UTC))


@pytest.fixture
def searcher(tmp_path: Path) -> Searcher:
    """An index of two passages of one document, in the files a and b; the file c is removed."""
    index = open_passages(tmp_path / "passages", create=True)
    writer = open_writer(index)
    for file, window in zip("abc", [Window(0, 6), Window(7, 20, "Drinks"), Window(0, 20)], strict=True):
        add(writer, file, DOCUMENT, window)
    remove(writer, "c")
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index.searcher()


def files(searcher: Searcher, *words: str) -> list[str]:
    return sorted(stored_passage(searcher, hit).file for hit in best_hits(searcher, words, 10))


def test_passages_are_found_by_title_and_heading(searcher: Searcher) -> None:
    assert files(searcher, "breakfast") == ["a", "b"]
    assert files(searcher, "drink") == ["b"]
    assert [holds(searcher, file) for file in "abc"] == [True, True, False]


def test_every_field_of_a_passage_is_stored(searcher: Searcher) -> None:
    [hit] = best_hits(searcher, ["cafe"], 10)
    assert hit.document[1] == 7
    expected = Stored("b", "Café au lait.", "https://x.org", "Breakfast", 7, 20, DOCUMENT.published_at, ())
    assert stored_passage(searcher, hit) == expected


def test_leftover_files_of_a_killed_commit_do_not_block_writing(tmp_path: Path) -> None:
    killed, trial = tmp_path / "killed", tmp_path / "trial"
    writer = open_writer(open_passages(killed, create=True))
    for file in range(50):
        add(writer, str(file), DOCUMENT, Window(0, 20))
    writer.commit()
    writer.wait_merging_threads()
    shutil.copytree(killed, trial)
    writer = open_writer(open_passages(trial))
    remove(writer, "1")
    stamp = writer.commit()
    writer.wait_merging_threads()

    left = [f"{segment.stem}.{stamp}.del" for segment in killed.glob("*.store")]
    for name in left:
        (killed / name).write_bytes(b"half")
    managed = killed / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text()), *left]))
    writer = open_writer(open_passages(killed))
    remove(writer, "1")
    assert writer.commit() == stamp
    writer.wait_merging_threads()


@pytest.fixture
def index(folder: Path, tmp_path: Path) -> Path:
    built(folder, tmp_path / "index")
    return tmp_path / "index"


def test_a_reader_sees_the_next_build_that_changes_something(index: Path, folder: Path) -> None:
    reader = IndexReader(index, 4, 1)
    before = reader.searcher()
    built(folder, index)
    assert reader.searcher() is before
    (folder / "peaches.md").unlink()
    built(folder, index)
    assert (before.num_docs, reader.searcher().num_docs) == (4, 1)


def test_a_read_only_index_is_read(index: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    for lock in index.rglob("*.lock"):
        lock.unlink()
    everything = sorted(index.rglob("*"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    reader = IndexReader(index, 4, 1)
    assert files(reader.searcher(), "china") == ["peaches.md"]
    assert sorted(index.rglob("*")) == everything


@pytest.mark.parametrize("name", ["passages/meta.json", MANIFEST])
@pytest.mark.parametrize("content", [b"", b'{"format": "4"}', b"nonsense" * 1000])
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


@pytest.mark.parametrize("earlier", [True, False])
def test_index_of_another_version_is_refused_and_built_anew(index: Path, folder: Path, earlier: bool) -> None:
    if earlier:
        (index / MANIFEST).rename(index / "rarr-index.sqlite")
    else:
        (index / MANIFEST).write_text('{"format": "3", "other": []}')
    with pytest.raises(InputError, match=r"made by another version of rarr: delete the folder"):
        IndexReader(index, 4, 1)
    assert is_index(index)
    assert built(folder, index).read == 2
    assert not (index / "rarr-index.sqlite").exists()
