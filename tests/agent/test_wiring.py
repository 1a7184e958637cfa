"""From names to implementations; what is not to be had is said in one line before anything is spent."""

from pathlib import Path
from typing import Any

import pytest

from rarr.agent.settings import Settings
from rarr.agent.wiring import EMBEDDED, wire
from rarr.embedded.ranking import OverlapReranker
from rarr.errors import InputError, SettingsError
from rarr.testing import InMemoryRetriever


@pytest.fixture
def notes(tmp_path: Path) -> Path:
    (tmp_path / "notes").mkdir()
    (tmp_path / "notes/one.md").write_text("The library opened in 1976.")
    return tmp_path / "notes"


@pytest.mark.parametrize(
    ("values", "said"),
    [
        ({"model": "gpt"}, "unknown model 'gpt' for generate_queries: give one of embedded"),
        ({"models": {"edit": "gpt"}}, "unknown model 'gpt' for edit: give one of embedded"),
        ({"models": {"edits": "embedded"}}, "models names no node 'edits': nodes are generate_queries,"),
        ({"search": "bing"}, "unknown search 'bing': this version has corpus"),
        ({"search": object()}, r"search is a object: it has no method retrieve\(query, k\)"),
        ({}, r"no source of evidence: give corpus=PATH \(--corpus PATH\)"),
        ({"search": "corpus"}, "no source of evidence"),
        ({"reranker": "overlapp"}, "unknown reranker 'overlapp': give overlap,"),
    ],
)
def test_unknown_names_are_one_line_with_the_cure(values: dict[str, Any], said: str) -> None:
    with pytest.raises(SettingsError, match=said) as raised:
        wire(Settings(**values))
    assert "\n" not in str(raised.value)


def test_missing_corpus_is_one_line(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="nowhere") as raised:
        wire(Settings(corpus=tmp_path / "nowhere"))
    assert "\n" not in str(raised.value)


@pytest.mark.parametrize("values", [{"reranker": "overlapp"}, {"model": "gpt"}, {"search": "bing"}])
def test_nothing_is_indexed_for_settings_that_cannot_work(notes: Path, tmp_path: Path, values: Any) -> None:
    with pytest.raises(SettingsError):
        wire(Settings(corpus=notes, home=tmp_path / "home", **values))
    assert not (tmp_path / "home").exists()


def test_every_embedded_implementation_has_its_place(notes: Path) -> None:
    components = wire(Settings(corpus=notes))
    for field, implementation in EMBEDDED.values():
        assert type(getattr(components, field)) is implementation
    assert type(components.reranker) is OverlapReranker


def test_retriever_object_is_taken_as_it_is() -> None:
    source = InMemoryRetriever()
    assert wire(Settings(search=source)).retriever is source


async def test_corpus_is_searched(notes: Path) -> None:
    [found] = await wire(Settings(corpus=notes)).retriever.retrieve("When did the library open?", 5)
    assert found.text == "The library opened in 1976."


def test_first_indexing_tells_how_far_it_is(notes: Path) -> None:
    told: list[tuple[int, int]] = []
    wire(Settings(corpus=notes), on_index=lambda done, total: told.append((done, total)))
    assert told[-1] == (1, 1)
