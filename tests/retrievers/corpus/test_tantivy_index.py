import json
import shutil
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tantivy import Searcher

from rarr.retrievers.corpus.chunking import Window
from rarr.retrievers.corpus.tantivy_index import (
    Stored,
    add,
    best_hits,
    open_passages,
    open_writer,
    remove,
    stored_passage,
)
from rarr.retrievers.extract.extracted_document import Document

DOCUMENT = Document("Pears. Café au lait.", "Breakfast", "https://x.org", 7, datetime(2020, 3, 4, tzinfo=UTC))


@pytest.fixture
def searcher(tmp_path: Path) -> Searcher:
    """An index of two passages of one document, of file versions 1 and 2; version 3 is removed."""
    index = open_passages(tmp_path / "passages", create=True)
    writer = open_writer(index)
    for file, window in enumerate([Window(0, 6), Window(7, 20, "Drinks"), Window(0, 20)], start=1):
        add(writer, DOCUMENT, window, file)
    writer.commit()
    remove(writer, 3)
    writer.commit()
    writer.wait_merging_threads()
    index.reload()
    return index.searcher()


def test_leftover_files_of_a_killed_commit_do_not_block_writing(tmp_path: Path) -> None:
    killed, trial = tmp_path / "killed", tmp_path / "trial"
    writer = open_writer(open_passages(killed, create=True))
    for file in range(50):
        add(writer, DOCUMENT, Window(0, 20), file)
    writer.commit()
    writer.wait_merging_threads()
    shutil.copytree(killed, trial)
    writer = open_writer(open_passages(trial))
    remove(writer, 1)
    stamp = writer.commit()
    writer.wait_merging_threads()

    left = [f"{segment.stem}.{stamp}.del" for segment in killed.glob("*.store")]
    for name in left:
        (killed / name).write_bytes(b"half")
    managed = killed / ".managed.json"
    managed.write_text(json.dumps([*json.loads(managed.read_text()), *left]))
    writer = open_writer(open_passages(killed))
    remove(writer, 1)
    assert writer.commit() == stamp
    writer.wait_merging_threads()


def files(searcher: Searcher, *words: str) -> list[int]:
    return sorted(hit.version_id for hit in best_hits(searcher, words, 10))


def test_passages_are_found_by_title_and_heading(searcher: Searcher) -> None:
    assert files(searcher, "breakfast") == [1, 2]
    assert files(searcher, "drink") == [2]


def test_every_field_of_a_passage_is_stored(searcher: Searcher) -> None:
    [hit] = best_hits(searcher, ["cafe"], 10)
    assert (hit.version_id, hit.item) == (2, 7)
    expected = Stored("Café au lait.", "https://x.org", "Breakfast", 7, 20, DOCUMENT.published_at, ())
    assert stored_passage(searcher, hit) == expected
