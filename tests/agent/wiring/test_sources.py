"""Retriever objects of the user's own: what cannot work is said when it is given, the rest at the call."""

from dataclasses import replace
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from makers import FACT, TEXT, passage
from tools.asking import metered_run

from rarr import Reviser, Settings
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.sources import WEB_SOURCES
from rarr.errors import BudgetError, RetrievalError, SettingsError
from rarr.retrievers.corpus.corpus import Corpus, build_index
from rarr.testing import InMemoryRetriever


class Returns:
    """Returns what it was given, or raises it."""

    def __init__(self, value: Any) -> None:
        self.value = value

    async def retrieve(self, query: str, k: int) -> Any:
        if isinstance(self.value, Exception):
            raise self.value
        return self.value


class Mine(BaseRetriever):
    def _get_relevant_documents(self, query: str, *, run_manager: Any) -> list[Any]:
        return []


def taken(source: Any, **values: Any) -> Any:
    return wire(Settings(search=source, **values)).retriever


@pytest.mark.parametrize("source", [SimpleNamespace(retrieve=3), InMemoryRetriever, Mine, Path("notes")])
def test_object_that_cannot_work_is_refused_when_it_is_given(source: Any) -> None:
    with pytest.raises(SettingsError, match=r"\Asearch is .*: give corpus, .* or a LangChain retriever\Z"):
        taken(source)


@pytest.mark.parametrize("source", [Returns([]), Mine()], ids=["object", "langchain"])
def test_object_that_may_go_to_the_network_is_refused_offline(source: Any) -> None:
    with pytest.raises(SettingsError, match=r"may go to the network, .* give its class offline"):
        taken(source, offline=True)


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (SimpleNamespace(retrieve=lambda query, k: []), RetrievalError, "it is written async def"),
        (SimpleNamespace(retrieve=lambda query: []), RetrievalError, "it is written async def"),
        (Returns(None), RetrievalError, "'NoneType' object is not iterable.* a list of rarr.Passage"),
        (Returns("no"), RetrievalError, "it returned a str as a passage.* a list of rarr.Passage"),
        (Returns(BudgetError("spent")), BudgetError, "spent"),
    ],
)
async def test_method_of_another_shape_is_a_failed_retrieval(source: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        await taken(source).retrieve("q", 5)


async def test_corpus_object_is_the_users_own_and_not_limited(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Georgia grows the most peaches.")
    corpus = Corpus.open(tmp_path / "a.md", home=tmp_path, window=4)
    assert await taken(corpus, include_domains=["a.org"]).retrieve("peaches", 5)


def test_files_that_the_corpus_of_components_left_out_are_a_warning(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Georgia grows the most peaches.")
    (tmp_path / "old.doc").write_bytes(b"x")
    corpus = Corpus.open(tmp_path, home=tmp_path / "home", window=4)
    own = replace(wire(Settings(search=InMemoryRetriever())), retriever=corpus)
    reviser = Reviser(components=own)
    assert "file_skipped" in {it.code for it in reviser.revise(TEXT).warnings}
    given = reviser.revise(TEXT, sources=["Georgia grows peaches."], search="given")  # no file is searched
    assert "file_skipped" not in {it.code for it in given.warnings}


def test_objects_of_one_class_are_numbered_in_warnings() -> None:
    down, works = RetrievalError("it is down"), [passage()]
    found = Reviser(Settings(search=[Returns(down), Returns(works), Returns(down)])).revise(TEXT).warnings
    failed = {it.message.partition(" could not")[0] for it in found if it.code == "source_failed"}
    assert failed == {"Returns 1", "Returns 3"}


WEB = ["https://a.org/", "https://b.org/"]


@pytest.mark.parametrize(
    ("limits", "found", "kept", "missing"),
    [
        ({"published_after": "2020"}, WEB, [], "no date: unset published_after"),
        ({"include_domains": ["b.org"]}, ["notes.md"], [], "no web address: unset include_domains"),
        ({"include_domains": ["b.org"]}, WEB, WEB[1:], ""),
        ({"exclude_domains": ["a.org"]}, ["notes.md", *WEB], ["notes.md", *WEB[1:]], ""),
    ],
)
@pytest.mark.parametrize("named", [True, False])
async def test_objects_are_limited_as_the_web_is(
    limits: Any, found: Any, kept: list[str], missing: str, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    source = Returns([passage(FACT, it) for it in found])
    monkeypatch.setitem(WEB_SOURCES, "mine", lambda settings, cache: source)
    with metered_run() as meter:
        passages = await taken("mine" if named else source, **limits).retrieve("q", 5)
    assert [it.source for it in passages] == kept
    left_out = [it.message for it in meter.warnings if it.code == "source_left_out"]
    assert (len(left_out), missing in "".join(left_out)) == (bool(missing), True)


def test_built_index_whose_files_changed_is_told(tmp_path: Path) -> None:
    files = [tmp_path / "docs" / f"{name}.md" for name in "abc"]
    files[0].parent.mkdir()
    for file in files:
        file.write_text(FACT)
    build_index(files[0].parent, tmp_path / "index", window=4)
    files[0].write_text(f"{FACT} It is old.")
    files[1].unlink()
    by_object: Any = {"search": Corpus.open(tmp_path / "index", home=tmp_path, window=4)}
    for source in ({"corpus": tmp_path / "index"}, by_object):
        with Reviser(home=tmp_path / "home", **source) as reviser:
            [told] = reviser.revise(TEXT).warnings
        assert told.code == "index_outdated"
        assert told.message.startswith(f"{files[0]} and 1 other file changed or went away after the index")
    with Reviser(corpus=files[0].parent, home=tmp_path / "home") as reviser:
        assert reviser.revise(TEXT).warnings == ()
