"""Scores are asked for once."""

import math
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.rerank.cached_scores import SCORE, CachedReranker
from rarr.retrievers.web.cache import Cache
from rarr.testing import RETRIEVED_AT, ScriptedReranker

SCORES = {"1976": 0.9, "library": 1 / 3}


def passage(text: str, title: str = "", source: str = "a.md") -> Passage:
    return Passage(text=text, title=title, source=source, start=0, end=len(text), retrieved_at=RETRIEVED_AT)


OPENED, LIBRARY, OTHER = passage("It opened in 1976."), passage("The library."), passage("A mill.")


def cache(tmp_path: Path, **options: Any) -> Cache:
    return Cache(tmp_path / "cache.sqlite", max_age_s={SCORE: math.inf}, **options)


def asked(reranker: ScriptedReranker) -> list[list[Passage]]:
    return [list(passages) for _, passages in reranker.calls]


async def test_only_unknown_passages_are_asked_for_and_in_one_call(tmp_path: Path) -> None:
    inner = ScriptedReranker(SCORES)
    reranker = CachedReranker(inner, cache(tmp_path), "model")
    assert await reranker.score("When?", [LIBRARY]) == [1 / 3]
    assert await reranker.score("When?", [OPENED, LIBRARY, OTHER]) == [0.9, 1 / 3, 0.0]
    assert await reranker.score("When?", [OTHER, OPENED]) == [0.0, 0.9]
    assert asked(inner) == [[LIBRARY], [OPENED, OTHER]]


async def test_scores_outlive_the_process(tmp_path: Path) -> None:
    await CachedReranker(ScriptedReranker(SCORES), cache(tmp_path), "model").score("When?", [LIBRARY])
    again = CachedReranker(ScriptedReranker(OSError("down")), cache(tmp_path), "model")
    assert await again.score("When?", [LIBRARY]) == [1 / 3]


async def test_score_is_of_model_query_title_and_text(tmp_path: Path) -> None:
    kept, inner = cache(tmp_path), ScriptedReranker()
    for name, query, candidate in [
        ("model", "When?", LIBRARY),
        ("other", "When?", LIBRARY),
        ("model", "Who?", LIBRARY),
        ("model", "When?", passage("The library.", "Title")),
        ("model", "When?", passage("The library", ".")),
        ("model", "When?", passage("The library.", source="b.md")),  # known
    ]:
        await CachedReranker(inner, kept, name).score(query, [candidate])
    assert len(inner.calls) == 5


async def test_same_text_twice_is_asked_for_once(tmp_path: Path) -> None:
    inner = ScriptedReranker(SCORES)
    reranker = CachedReranker(inner, cache(tmp_path), "model")
    assert await reranker.score("When?", [LIBRARY, OPENED, LIBRARY]) == [1 / 3, 0.9, 1 / 3]
    assert asked(inner) == [[LIBRARY, OPENED]]


async def test_no_passages_make_no_call(tmp_path: Path) -> None:
    inner = ScriptedReranker()
    assert await CachedReranker(inner, cache(tmp_path), "model").score("When?", []) == []
    assert inner.calls == []


async def test_offline_a_score_that_is_not_known_is_an_error(tmp_path: Path) -> None:
    await CachedReranker(ScriptedReranker(SCORES), cache(tmp_path), "model").score("When?", [LIBRARY])
    inner = ScriptedReranker(SCORES)
    reranker = CachedReranker(inner, cache(tmp_path, offline=True), "model")
    assert await reranker.score("When?", [LIBRARY]) == [1 / 3]
    with pytest.raises(RetrievalError, match="offline: 1 score of reranker model"):
        await reranker.score("When?", [OPENED, LIBRARY])
    assert inner.calls == []


async def test_offline_a_local_reranker_is_asked(tmp_path: Path) -> None:
    inner = ScriptedReranker(SCORES)
    reranker = CachedReranker(inner, cache(tmp_path, offline=True), "model", local=True)
    assert [await reranker.score("When?", [LIBRARY]) for _ in range(2)] == [[1 / 3]] * 2
    assert asked(inner) == [[LIBRARY]]


async def test_failure_is_not_remembered(tmp_path: Path) -> None:
    kept = cache(tmp_path)
    with pytest.raises(OSError, match="down"):
        await CachedReranker(ScriptedReranker(OSError("down")), kept, "model").score("When?", [LIBRARY])
    assert await CachedReranker(ScriptedReranker(SCORES), kept, "model").score("When?", [LIBRARY]) == [1 / 3]


class Odd:
    """Gives what it is told, whatever it is asked."""

    def __init__(self, *scores: float) -> None:
        self.scores, self.calls = scores, 0

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        self.calls += 1
        return self.scores


async def test_score_that_is_not_a_number_is_not_remembered(tmp_path: Path) -> None:
    inner = Odd(math.nan)
    reranker = CachedReranker(inner, cache(tmp_path), "model")
    assert [math.isnan(score) for _ in range(2) for score in await reranker.score("When?", [LIBRARY])] == [
        True
    ] * 2
    assert inner.calls == 2


async def test_wrong_number_of_scores_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(ValueError, match="zip"):
        await CachedReranker(Odd(0.1, 0.2), cache(tmp_path), "model").score("When?", [LIBRARY])
