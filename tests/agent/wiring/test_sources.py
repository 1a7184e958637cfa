"""Retriever objects of the user's own: what cannot work is said when it is given, the rest at the call."""

from pathlib import Path
from typing import Any

import pytest
from langchain_core.retrievers import BaseRetriever
from makers import FACT, TEXT, passage

from rarr import Reviser, Settings
from rarr.agent.wiring.components import wire
from rarr.agent.wiring.sources import WEB_SOURCES
from rarr.errors import BudgetError, RetrievalError, SettingsError
from rarr.retrievers.corpus.corpus import Corpus
from rarr.testing import InMemoryRetriever


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


@pytest.mark.parametrize("source", [NoMethod(), InMemoryRetriever, Mine, Path("notes")])
def test_object_that_cannot_work_is_refused_when_it_is_given(source: Any) -> None:
    with pytest.raises(SettingsError, match=r"\Asearch is .*: give corpus, .* or a LangChain retriever\Z"):
        taken(source)


class Sync:
    def retrieve(self, query: str, k: int) -> list[Any]:
        return []


class WithoutK:
    async def retrieve(self, query: str) -> list[Any]:
        return []


@pytest.mark.parametrize(
    ("source", "error", "message"),
    [
        (Sync(), RetrievalError, r"object list can't be .* it is written async def"),
        (WithoutK(), RetrievalError, "it is written async def"),
        (Returns(BudgetError("spent")), BudgetError, "spent"),
    ],
)
async def test_method_of_another_shape_is_a_failed_retrieval(source: Any, error: Any, message: str) -> None:
    with pytest.raises(error, match=message):
        await taken(source).retrieve("q", 5)


def test_wrong_answer_is_a_warning_and_a_status() -> None:
    revision = Reviser(Settings(search=Returns(None))).revise(TEXT)
    assert {warning.code for warning in revision.warnings} == {"retrieve_failed"}
    assert "returned a NoneType" in revision.warnings[0].message
    assert {sentence.status for sentence in revision.report.sentences} == {"retrieval_failed"}


@pytest.mark.parametrize("source", [Returns([]), Mine()], ids=["object", "langchain"])
def test_object_that_may_go_to_the_network_is_refused_offline(source: Any) -> None:
    with pytest.raises(SettingsError, match=r"may go to the network, .* give its class offline"):
        taken(source, offline=True)


async def test_objects_are_limited_as_the_web_is() -> None:
    passages = [passage(source=f"https://{host}/") for host in ("a.org", "b.org")]
    limited = taken(Returns(passages), exclude_domains=["a.org"])
    assert [passage.source for passage in await limited.retrieve("q", 5)] == ["https://b.org/"]


async def test_corpus_object_is_the_users_own_and_not_limited(tmp_path: Path) -> None:
    (tmp_path / "a.md").write_text("Georgia grows the most peaches.")
    corpus = Corpus.open(tmp_path / "a.md", home=tmp_path, window=4)
    assert await taken(corpus, include_domains=["a.org"]).retrieve("peaches", 5)


def test_objects_of_one_class_are_numbered_in_warnings() -> None:
    down, works = RetrievalError("it is down"), [passage()]
    found = Reviser(Settings(search=[Returns(down), Returns(works), Returns(down)])).revise(TEXT).warnings
    failed = {it.message.partition(" could not")[0] for it in found if it.code == "source_failed"}
    assert failed == {"Returns 1", "Returns 3"}


class Undated(InMemoryRetriever):
    """A source with a name whose passages have neither a date nor a web address."""

    async def aclose(self) -> None: ...


@pytest.mark.parametrize(
    ("limits", "missing"),
    [
        ({"published_after": "2020"}, "no date: unset published_after"),
        ({"include_domains": ["a.org"]}, "no web address: unset include_domains"),
        ({"exclude_domains": ["a.org"]}, ""),
    ],
)
@pytest.mark.parametrize("named", [True, False])
def test_passages_that_no_limit_can_allow_are_a_warning(
    limits: dict[str, Any], missing: str, *, named: bool, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setitem(WEB_SOURCES, "undated", lambda settings, opened: Undated([FACT]))
    with Reviser(Settings(search="undated" if named else Undated([FACT]), **limits)) as reviser:
        warnings = {warning.code: warning.message for warning in reviser.revise(TEXT).warnings}
    left_out = warnings.get("source_left_out", "")
    assert (bool(left_out), missing in left_out) == (bool(missing), True)
