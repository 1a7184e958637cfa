"""What a run says that it was made with."""

import os
from pathlib import Path

import pytest

from rarr.evals.run_fingerprint import corpora, described
from rarr.retrievers.corpus.index_building import build_index
from rarr.settings import Settings


def test_description_has_only_settings_that_differ_from_the_default() -> None:
    assert described(Settings()) == {}
    assert described(Settings(rounds=1, preset="fast"))["rounds"] == "1"


def test_description_has_no_secret(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TAVILY_API_KEY", "tvly-geheim")
    endpoint = {"base_url": "https://me:geheim@x.example/v1", "api_key": "geheim", "extra": {"k": "geheim"}}
    settings = Settings(
        api_key="geheim",
        base_url="https://me:geheim@y.example/v1",
        tavily_key="geheim",
        endpoints={"vllm:m": endpoint},
        model="vllm:m",
        search=["corpus", "tavily"],
    )
    description = described(settings)
    assert "geheim" not in str(description)
    assert (description["model"], description["search"]) == ("vllm:m", "corpus, tavily")
    assert "x.example" in description["endpoints"]


def test_same_relative_corpus_in_another_folder_is_another_corpus(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    here = described(Settings(corpus="notes"))
    monkeypatch.chdir(tmp_path)
    assert described(Settings(corpus="notes")) != here


def test_changed_prompt_is_another_setting(tmp_path: Path) -> None:
    (tmp_path / "edit.md").write_text("One.")
    before = described(Settings(prompts=tmp_path))
    (tmp_path / "edit.md").write_text("Two.")
    assert described(Settings(prompts=tmp_path)) != before


def test_corpora_are_known_by_their_files(tmp_path: Path) -> None:
    notes, index, nothing = tmp_path / "notes", tmp_path / "index", tmp_path / "nothing"
    notes.mkdir()
    (notes / "a.md").write_text("One.")
    build_index(notes, index, window=4, step=1, max_file_mb=1)
    paths = [None, notes, index, notes, nothing]
    before = corpora(paths, 1)
    assert (set(before), corpora(paths, 1)) == ({str(notes), str(index)}, before)
    os.utime(notes / "a.md", (1, 1))
    after = corpora(paths, 1)
    assert (after[str(notes)] != before[str(notes)], after[str(index)]) == (True, before[str(index)])
    (notes / "a.md").write_text("Two.")
    build_index(notes, index, window=4, step=1, max_file_mb=1)
    assert corpora([index], 1) != {str(index): before[str(index)]}
