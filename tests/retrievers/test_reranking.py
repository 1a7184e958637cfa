"""Rerankers refuse wrong models before any cost, score from 0 to 1, and fail with a reason."""

import asyncio
import math
import sys
import threading
from collections.abc import Callable, Sequence
from contextlib import aclosing
from pathlib import Path
from types import SimpleNamespace
from typing import Any
from unittest.mock import AsyncMock

import pytest
from hypothesis import given, strategies as st
from makers import VALID, passage, query

from rarr.errors import RetrievalError, SettingsError, SetupError
from rarr.ledger.evidence_selection import scores_by_query
from rarr.retrievers.reranking import CrossEncoderReranker, EndpointReranker, OverlapIndex
from rarr.settings import Settings
from rarr.testing import Request
from rarr.testing.server import Listener, Reply
from rarr.valid_unicode import valid
from retrievers.services import reply

pytestmark = pytest.mark.loopback

NAME = "cross-encoder/tiny"
KEY = "sk-test-0123456789abcdef"


def test_overlap_puts_passages_with_the_words_first_and_titles_before_texts() -> None:
    asked = [passage("The dam opened in 1936."), passage("Bread is baked.")]
    near, far = OverlapIndex(asked).scores("When did the dams open?")
    assert near > far == 0
    titled = passage("It is high.").model_copy(update={"title": "Hoover"})
    first, second = OverlapIndex([titled, passage("Hoover is high.")]).scores("Hoover")
    assert first > second > 0


@given(st.text("xyz \ud800"), st.lists(st.text(VALID), max_size=4))
def test_overlap_lies_between_0_and_1(query: str, texts: list[str]) -> None:
    passages = [passage(text) for text in (*texts, valid(query))]
    assert all(0 <= score <= 1 + 1e-9 for score in OverlapIndex(passages).scores(query))


def fake_model(monkeypatch: pytest.MonkeyPatch, labels: int = 1, kind: str = "BertForClassification") -> None:
    """Puts a model in place of the libraries. The number in a text is its logit."""

    def predict(pairs: list[tuple[str, str]], *, activation_fn: Callable[[float], float], **_: bool) -> Any:
        assert threading.current_thread() is not threading.main_thread()
        return [activation_fn(float(text.split()[-1])) for _, text in pairs]

    config = SimpleNamespace(architectures=(kind,))
    model = SimpleNamespace(num_labels=labels, config=config, predict=predict)
    neural = SimpleNamespace(Sigmoid=lambda: lambda logit: 1 / (1 + math.exp(-logit)))
    modules = {"torch": SimpleNamespace(nn=neural), "torch.nn": neural}
    modules["sentence_transformers"] = SimpleNamespace(CrossEncoder=lambda *_, **__: model)
    for name, module in modules.items():
        monkeypatch.setitem(sys.modules, name, module)


@pytest.mark.parametrize("name", ["", "overlapp", "nowhere/to/be", "./missing/model"])
def test_name_that_cannot_be_a_model_is_a_settings_error(name: str) -> None:
    with pytest.raises(SettingsError, match=r"unknown reranker .*: give overlap, the folder"):
        CrossEncoderReranker(name)


def test_missing_package_is_a_one_line_error_with_its_install_line(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setitem(sys.modules, "sentence_transformers", None)
    with pytest.raises(SetupError, match=r'sentence_transformers.*: pip install "rarr\[torch\]"$') as raised:
        CrossEncoderReranker(NAME)
    assert "\n" not in str(raised.value)


async def test_scores_are_sigmoids_and_another_model_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    for attributes, message in (
        ({"labels": 3}, "has 3 outputs"),
        ({"kind": "BertModel"}, "has no trained head"),
    ):
        fake_model(monkeypatch, **attributes)
        with pytest.raises(SetupError, match=message):
            CrossEncoderReranker(NAME)
    fake_model(monkeypatch)
    scores = await CrossEncoderReranker(NAME).score("Which?", [passage("0"), passage("-9"), passage("9")])
    assert scores == pytest.approx([0.5, 0.0001, 0.9999], abs=1e-4)


@pytest.mark.slow
@pytest.mark.filterwarnings("default")  # torch and transformers warn of themselves
async def test_real_model_scores_between_0_and_1(tmp_path: Path) -> None:
    pytest.importorskip("sentence_transformers")
    from transformers import BertConfig, BertForSequenceClassification, BertTokenizerFast

    words = ["[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]", *["which", "state", "grows", "peaches", "georgia"]]
    (tmp_path / "vocab.txt").write_text("\n".join(words))
    BertTokenizerFast(vocab_file=str(tmp_path / "vocab.txt")).save_pretrained(tmp_path)
    small = {"hidden_size": 16, "num_hidden_layers": 1, "num_attention_heads": 2, "intermediate_size": 16}
    config = BertConfig(vocab_size=len(words), num_labels=1, **small)
    BertForSequenceClassification(config).save_pretrained(tmp_path)
    reranker = CrossEncoderReranker(str(tmp_path))
    asked = "which state grows peaches"
    passages = [passage("georgia grows peaches"), passage("georgia " * 600), passage("")]
    scores = await reranker.score(asked, passages)
    again = await asyncio.gather(*(reranker.score(asked, [p]) for p in passages))
    assert all(0 < score < 1 for score in scores)
    assert [score for [score] in again] == pytest.approx(list(scores), abs=1e-5)


def best_first(request: Request) -> Reply:
    """Answers like vLLM: best first. The number at the end of a document is its score."""
    scores = [float(document.split()[-1]) for document in request.body["documents"]]
    results = [{"index": index, "relevance_score": score} for index, score in enumerate(scores)]
    return reply({"results": sorted(results, key=lambda result: -result["relevance_score"])})


async def scores(url: str, *texts: str, api_key: str | None = None) -> Sequence[float]:
    async with aclosing(EndpointReranker("bge", url, api_key, Settings(timeout_s=2.0))) as reranker:
        reranker._service._attempts.first_wait_s = 0.001
        return await reranker.score("When?", [passage(text) for text in texts])


async def test_logits_become_relevances_from_the_first_that_is_no_probability() -> None:
    with Listener(best_first) as server:
        logits = await scores(server.url, "a 0", "a -2", "a 2", "a 5000", "a -5000")
    assert logits == pytest.approx([0.5, 0.1192029, 0.8807971, 1.0, 0.0])


async def test_served_scores_come_in_the_order_of_the_passages() -> None:
    with Listener(best_first) as server:
        assert await scores(server.url, "long document 0.25", "b 0.75", api_key=KEY) == [0.25, 0.75]
    [request] = server.requests
    assert (request.path, request.headers.get("authorization")) == ("/v1/rerank", f"Bearer {KEY}")
    documents = ["long document 0.25", "b 0.75"]
    assert request.body == {"model": "bge", "query": "When?", "documents": documents, "top_n": 2}


ONE, OTHER = {"index": 0, "relevance_score": 0.1}, {"index": 1, "relevance_score": 0.2}


@pytest.mark.parametrize(
    "results",
    [
        *([ONE], [ONE, ONE], [ONE, OTHER, OTHER], [ONE, 1], {"0": ONE, "1": OTHER}, None),
        *([ONE, OTHER | {"relevance_score": it}] for it in (math.nan, 10**400, None, True, "0.2")),
    ],
)
async def test_answer_that_does_not_score_each_document_once_is_a_failure(results: object) -> None:
    message = "reranker bge did not answer with a score for each document"
    served = reply({"results": results})
    with Listener(lambda _: served) as server, pytest.raises(RetrievalError, match=message):
        await scores(server.url, "a 0.1", "b 0.2")


async def test_failure_of_one_query_leaves_the_others_their_scores() -> None:
    reranker = SimpleNamespace(score=AsyncMock(side_effect=[[0.5], ZeroDivisionError()]))
    wanted = {query(id=text, text=text): [passage("First.")] for text in ("First of all", "Second of all")}
    good, bad = await scores_by_query("rerank", wanted, reranker)
    assert good == [0.5]
    assert isinstance(bad, ZeroDivisionError)
