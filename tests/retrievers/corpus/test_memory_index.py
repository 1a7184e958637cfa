"""A corpus is searched in memory where the data folder cannot be written, and nothing is written then."""

import sqlite3
from pathlib import Path
from typing import Any

import pytest

from rarr import Reviser, Settings
from rarr.errors import InputError
from rarr.retrievers.corpus import index_building as index
from rarr.retrievers.corpus.corpus import Corpus
from retrievers.makers import RULES


def fail(error: Exception) -> Any:
    def failing(*_: Any, **__: Any) -> None:
        raise error

    return failing


@pytest.fixture
def unwritable(tmp_path: Path) -> Path:
    """A data folder that nobody can make, not even root."""
    (tmp_path / "file").touch()
    return tmp_path / "file" / "home"


async def test_index_in_memory_finds_the_passages_of_the_index_on_disk(
    folder: Path, tmp_path: Path, unwritable: Path
) -> None:
    on_disk = Corpus.open(folder, home=tmp_path / "home", **RULES)
    in_memory = Corpus.open(folder, home=unwritable, **RULES)
    for query in ("Who grows peaches in America?", "capital of France"):
        known = await on_disk.retrieve(query, 5)
        passages = await in_memory.retrieve(query, 5)
        assert [(passage.text, passage.source, passage.start) for passage in passages] == [
            (passage.text, passage.source, passage.start) for passage in known
        ]
    assert in_memory.skipped == on_disk.skipped
    on_disk.close()


async def test_index_in_memory_can_be_searched_after_closing(folder: Path, unwritable: Path) -> None:
    corpus = Corpus.open(folder, home=unwritable, **RULES)
    await corpus.aclose()
    assert await corpus.retrieve("capital of France", 5)


async def test_index_in_memory_shows_the_text_of_its_files(folder: Path, unwritable: Path) -> None:
    corpus = Corpus.open(folder, home=unwritable, **RULES)
    [passage] = await corpus.retrieve("capital of France", 5)
    assert passage.text in (await corpus.extracted(passage.source) or "")


def test_unreadable_corpus_is_the_same_input_error_in_memory(tmp_path: Path, unwritable: Path) -> None:
    (tmp_path / "a.md").write_text(" ")
    with pytest.raises(InputError, match=r"no file in corpus .* could be read"):
        Corpus.open(tmp_path / "a.md", home=unwritable, **RULES)


@pytest.mark.parametrize(
    ("step", "error", "why"),
    [
        ("private_folder", OSError(30, "Read-only file system"), "Read-only file system"),
        ("_manifest", sqlite3.OperationalError("database or disk is full"), "database or disk is full"),
    ],
)
def test_one_warning_names_the_cause_and_the_cure(
    step: str, error: Exception, why: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "bridge.md").write_text("The Lorrin Bridge was opened in 1937.")
    monkeypatch.setattr(index, step, fail(error))
    with Reviser(Settings(corpus=tmp_path / "bridge.md", home=tmp_path / "home", trace=False)) as reviser:
        revision = reviser.revise("The Lorrin Bridge was opened in 1938.")
    assert revision.text == "The Lorrin Bridge was opened in 1937."
    [notice] = revision.warnings
    assert notice.code == "index_in_memory"
    assert why in notice.message
    assert notice.message.endswith("free space, or name another folder with RARR_HOME")


def test_run_with_an_unwritable_home_writes_nothing(tmp_path: Path, unwritable: Path) -> None:
    (tmp_path / "bridge.md").write_text("The Lorrin Bridge was opened in 1937.")
    before = sorted(tmp_path.rglob("*"))
    with Reviser(Settings(corpus=tmp_path, home=unwritable)) as reviser:
        revision = reviser.revise("The Lorrin Bridge was opened in 1938.")
    assert revision.changed
    assert sorted(tmp_path.rglob("*")) == before
    assert {warning.code for warning in revision.warnings} == {"index_in_memory", "trace_failed"}
