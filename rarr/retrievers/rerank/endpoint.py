"""Reranks with a server that has /rerank: vLLM, and others with the protocol of Jina and Cohere."""

import math
from collections.abc import Mapping, Sequence
from typing import Any

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.web.service_requests import JsonService
from rarr.tools.models.retries import Limiter

_ROUNDING = 1e-3  # a probability of a quantized model may leave the range from 0 to 1 by this much
_CURE = "check its server, base URL and key, and the model's name"


class EndpointReranker:
    """Scores passages with a model of a server, at `base_url`/rerank. Repeats requests that fail temporarily.

    A server does not say whether its scores are probabilities or logits. From the first score outside of 0
    to 1 on, they are taken for logits, and the sigmoid is applied to them.
    """

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        api_key: str | None,
        limiter: Limiter,
        timeout_s: float,
        attempts: int,
    ) -> None:
        """`name` is the model's name on the server. `timeout_s` is for one request.

        `limiter` bounds how many requests run at once.
        """
        self.name = f"reranker {name}"
        self._model, self.base_url = name, base_url.rstrip("/")
        self._service = JsonService(
            self.name,
            {0: _CURE},
            timeout_s=timeout_s,
            attempts=attempts,
            api_key=api_key,
            limiter=limiter,
        )
        self._logits = False

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, with its title, to `query`, from 0 to 1.

        Raises `RetrievalError` if the server gives no valid scores.
        """
        if not passages:
            return []
        texts = [f"{it.title}\n{it.text}" if it.title else it.text for it in passages]
        body = {"model": self._model, "query": query, "documents": texts, "top_n": len(texts)}
        answer = await self._service.ask(f"{self.base_url}/rerank", json=body)
        scores = _scores_of(answer, len(texts))
        if scores is None:
            raise RetrievalError(f"{self.name} did not answer with a score for each document: {_CURE}")
        self._logits |= any(not -_ROUNDING <= score <= 1 + _ROUNDING for score in scores)
        if self._logits:
            return [0.5 + 0.5 * math.tanh(score / 2) for score in scores]  # the sigmoid; no overflow
        return [min(max(score, 0.0), 1.0) for score in scores]

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._service.aclose()


def _scores_of(answer: Mapping[str, Any], count: int) -> list[float] | None:
    """Reads the score of each document, in their order; None if the answer has another form."""
    try:
        results = answer["results"]
        by_index = {result["index"]: result["relevance_score"] for result in results}
        scores = [by_index[index] for index in range(count)]
        valid = all(type(score) in (int, float) and math.isfinite(score) for score in scores)
    except (KeyError, TypeError, OverflowError):
        return None
    return scores if valid and len(results) == len(by_index) == count else None
