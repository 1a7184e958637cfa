import asyncio
import os
import shutil
from collections.abc import Callable
from pathlib import Path

import pytest

from rarr.errors import InputError
from rarr.retrievers.corpus import index_building
from rarr.retrievers.corpus.corpus import Corpus
from rarr.retrievers.corpus.index_building import IndexReport
from rarr.retrievers.corpus.passage_index import MANIFEST, IndexReader, best_hits
from rarr.retrievers.extract import files as extraction
from retrievers.makers import built

Build = Callable[[], IndexReport]


@pytest.fixture
def out(tmp_path: Path) -> Path:
    return tmp_path / "index"


@pytest.fixture
def build(folder: Path, out: Path) -> Build:
    return lambda: built(folder, out)


@pytest.fixture
def reads(monkeypatch: pytest.MonkeyPatch) -> list[str]:
    """The names of the files that were read, in order."""
    names: list[str] = []
    real = extraction.extract

    def counting(path: Path, *rest: object) -> object:
        names.append(path.name)
        return real(path, *rest)  # type: ignore[arg-type]

    monkeypatch.setattr(index_building, "extract", counting)
    return names


def counts(report: IndexReport) -> tuple[int, int, int]:
    return report.read, report.unchanged, report.removed


def test_changed_files_alone_are_read_again(build: Build, folder: Path, reads: list[str]) -> None:
    build()
    reads.clear()
    (folder / "peaches.md").write_text("Pears instead. Nothing else.")
    assert counts(build()) == (1, 1, 0)
    assert reads == ["peaches.md"]


def test_another_corpus_replaces_the_first_in_the_index(
    build: Build, out: Path, folder: Path, tmp_path: Path
) -> None:
    build()
    other = tmp_path / "other"
    shutil.copytree(folder, other)
    (other / "peaches.md").write_text("x" * (folder / "peaches.md").stat().st_size)
    times = (folder / "peaches.md").stat().st_mtime_ns
    os.utime(other / "peaches.md", ns=(times, times))
    assert counts(built(other, out)) == (2, 0, 0)


def test_files_with_an_operating_system_error_are_tried_again(
    build: Build, folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    real = Path.open

    def refuse(path: Path, *rest: str, **named: str) -> object:
        if path.name == "paris.txt":
            raise PermissionError(13, "Permission denied")
        return real(path, *rest, **named)  # type: ignore[call-overload]

    with monkeypatch.context() as patched:
        patched.setattr(Path, "open", refuse)
        report = build()
    assert report.skipped == [
        ((folder / "more/paris.txt").as_posix(), "not searched: it cannot be read (Permission denied)")
    ]
    assert counts(build()) == (1, 1, 0)


def test_a_partly_read_file_is_not_listed_as_not_searched(folder: Path, build: Build) -> None:
    (folder / "a.jsonl").write_text('{"text": "Good line."}\nbad\n')
    (folder / "b.jsonl").write_text("bad\n")
    skipped = [(Path(file).name, reason.partition(":")[0]) for file, reason in build().skipped]
    assert skipped == [
        ("a.jsonl", "line 2 is left out"),
        ("b.jsonl", "line 1 is left out"),
        ("b.jsonl", "not searched"),
    ]


def test_no_readable_file_is_an_input_error(tmp_path: Path, out: Path) -> None:
    (tmp_path / "empty.md").touch()
    with pytest.raises(InputError, match=r"empty\.md: not searched: it holds no text\): mend it or give"):
        built(tmp_path / "empty.md", out)


def test_a_folder_with_other_files_is_not_written_into(folder: Path) -> None:
    with pytest.raises(InputError, match=r"holds other files, such as .*: give a new folder"):
        built(folder, folder)


def test_a_place_that_cannot_be_written_is_an_input_error(folder: Path, tmp_path: Path) -> None:
    (tmp_path / "file").touch()
    with pytest.raises(InputError, match=r"cannot be written \(.*\): .* RARR_HOME"):
        built(folder, tmp_path / "file" / "index")


@pytest.mark.parametrize("options", [{"window": 2}, {"step": 2}])
def test_other_window_settings_rebuild_the_index(
    build: Build, folder: Path, out: Path, options: dict[str, int]
) -> None:
    build()
    assert built(folder, out, **options).read == 2


@pytest.mark.parametrize("damage", ["passages/meta.json", MANIFEST])
@pytest.mark.parametrize("content", [b"", b"nonsense" * 100, None])
def test_a_damaged_index_is_rebuilt(build: Build, out: Path, damage: str, content: bytes | None) -> None:
    expected = build()
    if content is None:
        (out / damage).unlink()
    else:
        (out / damage).write_bytes(content)
    assert build() == expected


def test_index_that_lost_any_file_is_rebuilt(build: Build, folder: Path, out: Path) -> None:
    build()
    (folder / "peaches.md").write_text("Pears instead. Nothing else.")
    expected = build()
    files = [path.relative_to(out) for path in out.rglob("*") if path.is_file()]
    for file in files:
        shutil.copytree(out, out.with_name("kept"))
        (out / file).unlink()
        assert build().passages == expected.passages
        reader = IndexReader(out, 4, 1)
        assert len(best_hits(reader.searcher(), ["pear", "franc"], 9)) == 2
        shutil.rmtree(out)
        out.with_name("kept").rename(out)


def test_long_text_comes_in_parts_with_their_places(
    folder: Path, out: Path, opened: Callable[[Path], Corpus], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(extraction, "LONG_TEXT", 1000)
    monkeypatch.setattr(extraction, "PART", 300)
    monkeypatch.setattr(extraction, "_PIECE", 64)
    text = "".join(f"# Lake {n}\n\nThe lake Ü{n} is {n} metres deep. It is cold.\n\n" for n in range(99))
    (folder / "lakes.md").write_text(text, encoding="utf-8")
    corpus = opened(folder)
    passages = asyncio.run(corpus.retrieve("lake metres deep cold", 1))
    assert len(passages) == 8
    assert asyncio.run(corpus.extracted(passages[0].source)) == text
    assert all(text[each.start : each.end] == each.text for each in passages)
    assert all(text[start : start + len(words)] == words for each in passages for start, words in each.lead)
