"""An index holds what its corpus holds: built, updated, damaged, read, and of other versions."""

import asyncio
import shutil
from collections.abc import Callable, Iterator
from datetime import UTC, datetime
from pathlib import Path

import pytest
from tantivy import Searcher

from rarr.errors import InputError
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.corpus.index_building import IndexReport
from rarr.retrievers.corpus.passage_index import MANIFEST, IndexReader, best_hits, stored_passage
from rarr.retrievers.extract import extracted_document, files as extraction
from rarr.retrievers.extract.extracted_document import Document
from retrievers.makers import built

Build = Callable[[], IndexReport]
NO_JSON = "line {} is left out: its JSON cannot be read (Expecting value: line 1 column 1 (char 0))"
TEXT = "Pears. Café au lait."


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def build(folder: Path, out: Path) -> Build:
    return lambda: built(folder, out)


def counts(report: IndexReport) -> tuple[int, int, int]:
    return report.read, report.unchanged, report.removed


def searched(searcher: Searcher, *words: str) -> list[str]:
    return sorted(stored_passage(searcher, hit)["file"] for hit in best_hits(searcher, words, 10))


def test_changed_files_alone_are_read_again(build: Build, folder: Path) -> None:
    assert counts(build()) == (2, 0, 0)
    (folder / "peaches.md").write_text("Pears instead. Nothing else.")
    assert counts(build()) == (1, 1, 0)
    (folder / "peaches.md").unlink()
    assert counts(build()) == (0, 1, 1)
    assert counts(build()) == (0, 1, 0)


def refuse(path: Path, _: object) -> Iterator[Document]:
    raise PermissionError(13, "Permission denied")


def test_parts_that_cannot_be_read_are_named_and_files_of_a_failing_system_tried_again(
    folder: Path, build: Build, monkeypatch: pytest.MonkeyPatch
) -> None:
    (folder / "a.jsonl").write_text('{"text": "Good line."}\nbad\n')
    (folder / "b.jsonl").write_text("bad\n")
    with monkeypatch.context() as patched:
        patched.setitem(extraction._READERS, ".txt", refuse)
        report = build()
    assert [(Path(file).name, reason) for file, reason in report.skipped] == [
        ("paris.txt", "not searched: it cannot be read (Permission denied)"),
        ("a.jsonl", NO_JSON.format(2)),
        ("b.jsonl", NO_JSON.format(1)),
        ("b.jsonl", "not searched: it holds no text"),
    ]
    assert counts(build()) == (1, 2, 0)


def test_index_that_cannot_be_made_is_an_input_error(folder: Path, tmp_path: Path, out: Path) -> None:
    (tmp_path / "empty.md").touch()
    with pytest.raises(InputError, match=r"empty\.md: not searched: it holds no text\): mend it or give"):
        built(tmp_path / "empty.md", out)
    with pytest.raises(InputError, match=r"holds other files, such as .*: give a new folder"):
        built(folder, folder)
    with pytest.raises(InputError, match=r"cannot be written \(.*\): .* RARR_HOME"):
        built(folder, tmp_path / "empty.md" / "index")


def test_index_that_lost_any_file_is_rebuilt(build: Build, folder: Path, out: Path) -> None:
    build()
    (folder / "peaches.md").write_text("Pears instead. Nothing else.")
    expected, kept = build(), out.with_name("kept")
    for file in [path.relative_to(out) for path in out.rglob("*") if path.is_file()]:
        shutil.copytree(out, kept)
        (out / file).unlink()
        assert build().passages == expected.passages
        assert len(searched(IndexReader(out, 4).searcher(), "pear", "franc")) == 2
        shutil.rmtree(out)
        kept.rename(out)


@pytest.mark.parametrize("name", ["passages/meta.json", MANIFEST])
@pytest.mark.parametrize("content", [b"", b"nonsense" * 1000, b'{"format": "3"}'])
def test_damage_names_the_cure_and_is_rebuilt(build: Build, out: Path, name: str, content: bytes) -> None:
    expected = build()
    (out / name).write_bytes(content)
    with pytest.raises(InputError, match=r"(is damaged|another version)[^\n]*: delete the folder, or"):
        IndexReader(out, 4)
    assert build() == expected


def test_a_reader_sees_the_next_build(build: Build, out: Path, folder: Path) -> None:
    build()
    reader = IndexReader(out, 4)
    before = reader.searcher()
    (folder / "peaches.md").unlink()
    build()
    assert (before.num_docs, reader.searcher().num_docs) == (4, 1)


def test_a_read_only_index_is_read(build: Build, out: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    build()
    for lock in out.rglob("*.lock"):
        lock.unlink()
    everything = sorted(out.rglob("*"))
    monkeypatch.setattr("os.access", lambda path, mode: False)
    assert searched(IndexReader(out, 4).searcher(), "china") == ["peaches.md"]
    assert sorted(out.rglob("*")) == everything


def test_passages_are_found_by_title_and_heading_and_stored_whole(
    folder: Path, opened: Callable[[Path], Corpus]
) -> None:
    record = (
        '{"text": "Pears. Café au lait.", "title": "Breakfast", "url": "https://x.org", "date": "2020-03-04"}'
    )
    (folder / "a.jsonl").write_text(record)
    corpus = opened(folder)
    for query in ("breakfast", "cafe"):
        [found] = asyncio.run(corpus.retrieve(query, 5))
        assert (found.text, found.source, found.start, found.end) == (TEXT, "https://x.org", 0, len(TEXT))
        assert (found.title, found.published_at) == ("Breakfast", datetime(2020, 3, 4, tzinfo=UTC))
    [found] = asyncio.run(corpus.retrieve("history", 5))
    assert found.text.startswith("The tree came from China.")


def test_long_text_comes_in_parts_with_their_places(
    folder: Path, opened: Callable[[Path], Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "_LONG_TEXT", 1000)
    monkeypatch.setattr(extraction, "_PART", 300)
    monkeypatch.setattr(extracted_document, "_PIECE", 64)
    text = "".join(f"# Lake {n}\n\nThe lake Ü{n} is {n} metres deep. It is cold.\n\n" for n in range(99))
    (folder / "lakes.md").write_text(text, encoding="utf-8")
    corpus = opened(folder)
    passages = asyncio.run(corpus.retrieve("lake metres deep cold", 1))
    assert len(passages) == 8
    assert asyncio.run(corpus.extracted(passages[0].source)) == text
    assert all(text[each.start : each.end] == each.text for each in passages)
    assert all(text[start : start + len(words)] == words for each in passages for start, words in each.lead)
