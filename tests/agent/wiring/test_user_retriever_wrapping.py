"""Retriever objects of the user's own: what cannot work is said when it is given, the rest at the call."""

import functools
from collections.abc import Callable
from pathlib import Path
from typing import Any
from unittest.mock import AsyncMock

import pytest
from langchain_core.retrievers import BaseRetriever
from makers import TEXT, passage

from rarr import Reviser, Revision, Settings
from rarr.agent.wiring.components import wire
from rarr.errors import BudgetError, RetrievalError, SettingsError
from rarr.retrievers.corpus.corpus import Corpus
from rarr.testing import InMemoryRetriever


class Sync:
    def retrieve(self, query: str, k: int) -> list[Any]:
        return []


class Generator:
    async def retrieve(self, query: str, k: int) -> Any:
        yield passage()


class WithoutK:
    async def retrieve(self, query: str) -> list[Any]:
        return []


class NeedsMore:
    async def retrieve(self, query: str, k: int, *, language: str) -> list[Any]:
        return []


class NoMethod:
    retrieve = 3


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


@pytest.mark.parametrize(
    ("source", "message"),
    [
        (Sync(), "search is a Sync, whose retrieve is not async: write async def retrieve"),
        (Generator(), "Generator, whose retrieve is not async"),
        (WithoutK(), r"retrieve\(query: str\) -> .* cannot be called as retrieve\(query, k\): write async"),
        (NeedsMore(), r"NeedsMore, whose retrieve\(.*language: str\)"),
        (NoMethod(), "retrieve is not a method"),
        (InMemoryRetriever, "search is the class InMemoryRetriever: give an object of it"),
        (Mine, "search is the class Mine"),
        (Path("notes"), "not a LangChain retriever: give such an object, or the name of a source"),
    ],
    ids=lambda case: "" if isinstance(case, str) else getattr(case, "__name__", type(case).__name__),
)
def test_object_that_cannot_work_is_refused_when_it_is_given(source: Any, message: str) -> None:
    with pytest.raises(SettingsError, match=message) as raised:
        taken(source)
    assert "\n" not in str(raised.value)


def counted(retrieve: Callable[..., Any]) -> Callable[..., Any]:
    @functools.wraps(retrieve)
    def counting(*args: Any) -> Any:
        return retrieve(*args)

    return counting


class Decorated:
    @counted
    async def retrieve(self, query: str, k: int) -> list[Any]:
        return [passage()]


class OtherNames:
    async def retrieve(self, question: str, top: int = 3, *more: Any) -> tuple[Any, ...]:
        return (passage(),)


def partial() -> Any:
    source: Any = Returns(None)
    source.retrieve = functools.partial(Returns([passage()]).retrieve)
    return source


@pytest.mark.parametrize(
    "source", [Decorated(), OtherNames(), partial(), AsyncMock(**{"retrieve.return_value": [passage()]})]
)
async def test_every_form_of_working_object_is_accepted(source: Any) -> None:
    assert list(await taken(source).retrieve("q", 5)) == [passage()]


async def test_budget_error_of_an_object_stays_a_budget_error() -> None:
    with pytest.raises(BudgetError):
        await taken(Returns(BudgetError("spent"))).retrieve("q", 5)


def revised(search: Any) -> Revision:
    return Reviser(Settings(search=search)).revise(TEXT)


def test_wrong_answer_is_a_warning_and_a_status() -> None:
    revision = revised(Returns(None))
    assert {warning.code for warning in revision.warnings} == {"retrieve_failed"}
    assert "returned None" in revision.warnings[0].message
    assert {sentence.status for sentence in revision.report.sentences} == {"retrieval_failed"}


@pytest.mark.parametrize("source", [Returns([]), Mine()], ids=["object", "langchain"])
def test_object_that_may_go_to_the_network_is_refused_offline(source: Any) -> None:
    with pytest.raises(SettingsError, match=r"may go to the network, .* give its class offline") as error:
        taken(source, offline=True)
    assert "\n" not in str(error.value)


async def test_objects_are_limited_as_the_web_is() -> None:
    passages = [passage(source=f"https://{host}/") for host in ("a.org", "b.org")]
    limited = taken(Returns(passages), exclude_domains=["a.org"])
    assert [passage.source for passage in await limited.retrieve("q", 5)] == ["https://b.org/"]


async def test_corpus_object_is_the_users_own_and_not_limited(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Georgia grows the most peaches.")
    corpus = Corpus.open(tmp_path / "a.md", home=tmp_path, window=4, step=1, max_file_mb=1)
    assert await taken(corpus, include_domains=["a.org"]).retrieve("peaches", 5)


def test_objects_of_one_class_are_numbered_in_warnings() -> None:
    down, works = RetrievalError("it is down"), [passage()]
    revision = revised([Returns(down), Returns(works), Returns(down)])
    sources = {
        warning.message.partition(" could not")[0]
        for warning in revision.warnings
        if warning.code == "source_failed"
    }
    assert sources == {"Returns 1", "Returns 3"}
