"""Scores passages for a query: by shared words, by a cross-encoder, or by a model on a server."""

import math
from collections import Counter
from collections.abc import Mapping, Sequence
from functools import lru_cache, partial
from itertools import pairwise
from typing import Any, NamedTuple

from rarr.errors import RetrievalError, SettingsError, SetupError
from rarr.records import Passage
from rarr.retrievers.corpus.corpus import PASSAGES_PER_DOCUMENT
from rarr.retrievers.corpus.index_words import content_stems
from rarr.retrievers.web.service_requests import JsonService
from rarr.settings import Settings
from rarr.tools.concurrency import infer, require_awaited, work
from rarr.tools.models.hub import INSTALL, is_folder_or_hub_name, load_from_hub, one_line
from rarr.tools.models.retries import Limiter

# The usual constants of the formula Okapi BM25.
_K1, _B = 1.2, 0.75
# With about these weights, the right passage came first most often on the development set
# (python -m benchmarks.retrieval).
_BM25_WEIGHT, _PAIR_WEIGHT = 0.7, 0.3
_TITLE_WEIGHT = 3
_EXAMPLE = "such as cross-encoder/ms-marco-MiniLM-L6-v2"
_ROUNDING = 1e-3  # a probability of a quantized model may be this much below 0 or above 1
_CURE = "check its server, base URL and key, and the model's name"


class OverlapReranker:
    """A reranker that scores a passage by the word stems that it shares with the query."""

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, from 0 to 1, by an `OverlapIndex` of these passages."""
        return (await self.score_all([(query, passages)]))[0]

    async def score_all(self, asked: Sequence[tuple[str, Sequence[Passage]]]) -> Sequence[Sequence[float]]:
        """Returns the scores of the passages for each (query, passages) in `asked`. Uses one thread."""
        return await work(lambda: [OverlapIndex(passages).scores(query) for query, passages in asked])


class OverlapIndex:
    """Scores passages by the words that their titles and texts share with queries.

    A score is 0.7 times BM25 (divided by the highest possible BM25), plus 0.3 times a share. The share is the
    part of the query's pairs of neighbouring words that the passage has. Stop words do not count.
    """

    def __init__(self, passages: Sequence[Passage]) -> None:
        self._passages = passages
        self._counts = [_word_counts(passage.title, passage.text) for passage in passages]
        self._counts_by_word = dict[str, list[tuple[int, int]]]()
        mean = max(1.0, sum(it.size for it in self._counts) / max(1, len(self._counts)))
        self._saturations = [_K1 * (1 - _B + _B * it.size / mean) for it in self._counts]

    def scores(self, query: str) -> list[float]:
        """Computes the relevance of each passage to `query`, from 0 to 1."""
        require_awaited()
        words = content_stems(query)
        pairs = set(pairwise(words))
        scores = [_PAIR_WEIGHT * len(pairs & it.pairs) / max(1, len(pairs)) for it in self._counts]
        having = {word: self._counts_by_passage(word) for word in dict.fromkeys(words)}
        count, found = len(self._counts), {word: len(numbers) for word, numbers in having.items()}
        weights = {word: math.log(1 + (count - n + 0.5) / (n + 0.5)) for word, n in found.items()}
        most = sum(weights.values()) or 1.0
        for word, numbers in having.items():
            share = _BM25_WEIGHT * weights[word] / most
            for number, repeated in numbers:
                scores[number] += share * repeated / (repeated + self._saturations[number])
        return scores

    def _counts_by_passage(self, word: str) -> list[tuple[int, int]]:
        """Returns (number of the passage, count of `word`) for each passage with the stem `word`; cached."""
        if found := self._counts_by_word.get(word):
            return found
        found = [(number, n) for number, it in enumerate(self._counts) if (n := it.stems.get(word))]
        if found:  # words that no passage has are not remembered
            self._counts_by_word[word] = found
        return found

    def ranked_passages(self, query: str) -> list[Passage]:
        """Returns all passages, the most relevant first. Passages with equal scores keep their order."""
        scores = self.scores(query)
        return [self._passages[at] for at in sorted(range(len(scores)), key=scores.__getitem__, reverse=True)]


class _WordCounts(NamedTuple):
    """The word stems of a passage, counted to compare the passage with queries."""

    stems: dict[str, int]  # how often each stem occurs; a stem in the title counts three times
    size: int  # the sum of these counts
    pairs: frozenset[tuple[str, str]]  # the pairs of neighbouring stems in the title and in the text


@lru_cache(maxsize=4096)
def _word_counts(title: str, text: str) -> _WordCounts:
    heads, words = content_stems(title), content_stems(text)
    stems = [*heads * _TITLE_WEIGHT, *words]
    return _WordCounts(Counter(stems), len(stems), frozenset([*pairwise(heads), *pairwise(words)]))


def nearest(passages: Sequence[Passage], query: str, most: int = PASSAGES_PER_DOCUMENT) -> Sequence[Passage]:
    """Returns the `most` passages that share the most words with `query`, best first.

    If no passage shares a word, returns the first passages: a document begins with its topic, and may be in
    another language than the query.
    """
    return OverlapIndex(passages).ranked_passages(query)[:most] if len(passages) > 1 else passages


class CrossEncoderReranker:
    """A reranker with a model that is loaded once. Only one call uses the model at a time."""

    def __init__(self, name: str) -> None:
        """`name` is a folder, or a model of the Hugging Face hub, which is downloaded once.

        Raises `SettingsError` if `name` is neither a folder nor a model name, `SetupError` if loading fails.
        """
        if not is_folder_or_hub_name(name):
            cure = f"give overlap, the folder of a cross-encoder, or its name on the hub, {_EXAMPLE}"
            raise SettingsError(f"unknown reranker {name!r}: {cure}")
        try:
            from sentence_transformers import CrossEncoder
            from torch.nn import Sigmoid
        except ImportError as error:
            raise SetupError(f"reranker {name!r} cannot be loaded ({one_line(error)}): {INSTALL}") from None
        # Many models return logits, and evidence needs a relevance from 0 to 1.
        self._activation = Sigmoid()
        what = f"reranker {name!r}"
        self._model = load_from_hub(what, name, lambda it, own: CrossEncoder(it, local_files_only=own))
        # A model without a trained head would get a random head and scores without meaning.
        architectures = getattr(self._model.config, "architectures", None) or ()
        if (headless := any(it.endswith("Model") for it in architectures)) or self._model.num_labels != 1:
            has = "no trained head" if headless else f"{self._model.num_labels} outputs"
            raise SetupError(f"reranker {name!r} has {has}: choose a model with one output, {_EXAMPLE}")

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, with its title, to `query`: a sigmoid score from 0 to 1."""
        pairs = [(query, f"{passage.title}\n{passage.text}".strip()) for passage in passages]
        # The model itself makes batches of passages of similar length.
        predict = partial(self._model.predict, pairs, activation_fn=self._activation, show_progress_bar=False)
        return list(map(float, await infer(predict))) if pairs else []


class EndpointReranker:
    """A reranker that asks a server at `base_url`/rerank: vLLM, or one with the protocol of Jina and Cohere.

    A server does not tell whether its scores are probabilities or logits. Once a score was below 0 or above
    1, all scores of this server count as logits, and the sigmoid is applied to them.
    """

    def __init__(self, name: str, base_url: str, api_key: str | None, settings: Settings) -> None:
        self.name = f"reranker {name}"
        self._model, self.base_url, self._logits = name, base_url.rstrip("/"), False
        options: Any = {"timeout_s": settings.timeout_s, "limiter": Limiter(settings.concurrency)}
        self._service = JsonService(self.name, {0: _CURE}, api_key=api_key, **options)
        self.aclose = self._service.aclose

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage to `query`, from 0 to 1. Raises `RetrievalError`."""
        if not passages:
            return []
        texts = [f"{passage.title}\n{passage.text}".strip() for passage in passages]
        body = {"model": self._model, "query": query, "documents": texts, "top_n": len(texts)}
        scores = _scores_in_answer(await self._service.ask(f"{self.base_url}/rerank", json=body), len(texts))
        if scores is None:
            raise RetrievalError(f"{self.name} did not answer with a score for each document: {_CURE}")
        self._logits |= any(not -_ROUNDING <= score <= 1 + _ROUNDING for score in scores)
        if self._logits:
            return [0.5 + 0.5 * math.tanh(score / 2) for score in scores]  # the sigmoid; no overflow
        return [min(max(score, 0.0), 1.0) for score in scores]


def _scores_in_answer(answer: Mapping[str, Any], count: int) -> list[float] | None:
    try:
        results = answer["results"]
        by_index = {result["index"]: result["relevance_score"] for result in results}
        scores = [by_index[index] for index in range(count)]
        is_valid = all(type(score) in (int, float) and math.isfinite(score) for score in scores)
        return scores if is_valid and len(results) == count else None
    except (KeyError, TypeError, OverflowError):
        return None
