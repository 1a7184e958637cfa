"""Reranks with a server that has /rerank: vLLM, and others with the protocol of Jina and Cohere."""

import asyncio
import json
import math
import re
from collections.abc import Sequence
from typing import Any

import httpx2

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.retrievers.web.source_probe_request import Probe
from rarr.tools.concurrency import PerLoop, work
from rarr.tools.guard.bounded_http_client import CONNECT_S, bounded_client, certificates
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.failures import failure_of, failure_of_status, redacted, secrets_of
from rarr.tools.models.retries import Attempts, Limiter, in_time

MOST_DOCUMENTS = 64  # of one request: servers limit the number, and requests run at the same time
CONTROL = ("How many legs does a spider have?", ("A spider has eight legs.", "The ferry leaves at noon."))
"""A question, its answer and an unrelated sentence: if their scores are logits, some score leaves 0 to 1."""

_ROUNDING = 1e-3  # a probability of a quantized model may leave the range from 0 to 1 by this much
_TOO_LONG = re.compile(r"context.length|too long", re.IGNORECASE)


_CURE = "check its server, base URL and key, and the model's name"


class EndpointReranker:
    """Scores passages with a model of a server, at `base_url`/rerank. Repeats requests that fail temporarily.

    A server does not tell whether its scores are probabilities or logits. vLLM returns either, depending on
    the model's configuration; Cohere's and Jina's services return probabilities; llama.cpp returns logits. To
    give all scores of a model one scale, one request with the texts of `CONTROL` decides before the first
    score is returned: where one of its scores lies outside of 0 to 1, the scores are logits, and the sigmoid
    is applied to them.
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
        first_wait_s: float = 0.5,
    ) -> None:
        """`name` is the model's name on the server. `timeout_s` is for one request.

        `limiter` bounds how many requests run at once.
        """
        self.name = f"reranker {name}"
        self._model, self.base_url = name, base_url.rstrip("/")
        self._api_key, self._url = api_key, f"{self.base_url}/rerank"
        self._timeout_s, self._secrets = timeout_s, secrets_of(api_key, base_url)
        self._attempts = Attempts(self.name, limiter, attempts=attempts, first_wait_s=first_wait_s)
        self._truncates = False
        self._logits: bool | None = None  # not known yet
        self._finding_out = PerLoop(asyncio.Lock)
        certified = certificates()
        self._clients = PerLoop(
            lambda: bounded_client(
                self.name,
                headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
                verify=certified,
                timeout=httpx2.Timeout(timeout_s, connect=CONNECT_S, pool=None),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
            ),
            httpx2.AsyncClient.aclose,
        )

    async def score(self, query: str, passages: Sequence[Passage]) -> Sequence[float]:
        """Returns the relevance of each passage, with its title, to `query`, from 0 to 1.

        Raises `RetrievalError` if the server gives no valid scores.
        """
        if not passages:
            return []
        documents = [
            f"{passage.title}\n{passage.text}" if passage.title else passage.text for passage in passages
        ]
        # Servers pad the documents of one batch to one length.
        order = sorted(range(len(documents)), key=lambda index: len(documents[index]))
        batches = [order[start : start + MOST_DOCUMENTS] for start in range(0, len(order), MOST_DOCUMENTS)]
        try:
            async with asyncio.TaskGroup() as group:
                logits = group.create_task(self._gives_logits())
                requests = [
                    group.create_task(self._patiently(query, [documents[index] for index in batch]))
                    for batch in batches
                ]
        except ExceptionGroup as failed:  # the first one, for which the others were cancelled
            raise failed.exceptions[0] from None
        raw = dict(zip(order, (score for task in requests for score in task.result()), strict=True))
        scores = [raw[index] for index in range(len(documents))]
        return [_sigmoid(score) for score in scores] if logits.result() else self._probabilities(scores)

    def probe(self) -> Probe:
        """Describes the request that tests the server: it asks for the list of models, which costs nothing.

        Status 404 counts as working, because not every server has the list.
        """
        headers = {"Authorization": f"Bearer {self._api_key}"} if self._api_key else {}
        return Probe(f"{self.base_url}/models", {}, headers, (200, 404), {0: _CURE})

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._clients.aclose()

    async def _gives_logits(self) -> bool:
        async with self._finding_out.get():
            if self._logits is None:
                query, documents = CONTROL
                self._logits = any(map(_is_no_probability, await self._patiently(query, documents)))
            return self._logits

    def _probabilities(self, scores: list[float]) -> list[float]:
        if (other := next(filter(_is_no_probability, scores), None)) is not None:
            raise RetrievalError(
                f"{self.name} gave the score {other:g}, and other scores from 0 to 1:"
                " serve the model with a sigmoid, so that all are"
            )
        return [min(max(score, 0.0), 1.0) for score in scores]

    async def _patiently(self, query: str, documents: Sequence[str]) -> list[float]:
        late = f"{self.name} gave no answer within {self._timeout_s:g} s"
        try:
            return await self._attempts(
                lambda: in_time(self._scores(query, documents), self._timeout_s, late)
            )
        except CallFailure as failure:
            raise RetrievalError(f"{failure}: {_CURE}") from failure

    async def _scores(self, query: str, documents: Sequence[str]) -> list[float]:
        """Sends one request and returns the scores.

        If documents are too long, sends it once more, so that the server cuts them.
        """
        truncates = self._truncates
        response = await self._post(query, documents, truncates)
        if response.status_code == 400 and not truncates and _TOO_LONG.search(response.text):
            cut = await self._post(query, documents, True)
            if cut.status_code not in (400, 422):  # otherwise the server does not know this option
                self._truncates, response = cut.is_success, cut
        if not response.is_success:
            raise failure_of_status(
                response.status_code, response.headers, response.text, self.name, self._secrets
            )
        if (scores := _scores_of(response.text, len(documents))) is None:
            answer = " ".join((await work(redacted, response.text, self._secrets)).split())[:200]
            raise CallFailure(
                "server", f"{self.name} did not answer with a score for each document: {answer}"
            )
        return scores

    async def _post(self, query: str, documents: Sequence[str], truncates: bool) -> httpx2.Response:
        body: dict[str, Any] = {"model": self._model, "query": query, "documents": documents}
        body["top_n"] = len(documents)
        if truncates:
            body["truncate_prompt_tokens"] = -1  # to the length that the model can read
        try:
            return await self._clients.get().post(self._url, json=body)
        except Exception as error:
            raise failure_of(error, self.name, self._secrets) from None


def _scores_of(text: str, count: int) -> list[float] | None:
    """Parses the score of each document, in their order; None if the answer has another form."""
    try:
        results = json.loads(text)["results"]
        by_index = {result["index"]: result["relevance_score"] for result in results}
        scores = [_score(by_index[index]) for index in range(count)]
    except (ValueError, KeyError, TypeError, OverflowError, RecursionError):
        return None
    return scores if len(results) == len(by_index) == count else None


def _score(value: object) -> float:
    if isinstance(value, bool) or not isinstance(value, int | float) or not math.isfinite(value):
        raise ValueError(f"{value!r} is not a score")
    return float(value)


def _is_no_probability(score: float) -> bool:
    return not -_ROUNDING <= score <= 1 + _ROUNDING


def _sigmoid(logit: float) -> float:
    return 0.5 + 0.5 * math.tanh(logit / 2)  # tanh overflows for no logit, unlike exp
