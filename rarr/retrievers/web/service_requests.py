"""Sends requests to search services: few at once, with a timeout, repeated if that helps."""

import asyncio
import json
import time
from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, TypeVar

import httpx2

from rarr.errors import RetrievalError
from rarr.records import Passage
from rarr.tools.concurrency import PerLoop
from rarr.tools.guard.bounded_http_client import bounded_client, certificates
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.failures import (
    failure_of,
    failure_of_status,
    redacted,
    secrets_of,
    without_keys,
)
from rarr.tools.models.retries import LONGEST_WAIT_S, Attempts, Limiter, in_time
from rarr.tools.text.printable_text import shown
from rarr.valid_unicode import valid

AT_ONCE = 4
"""The most requests to one service at once: free services ask their users to be moderate."""

Answer = TypeVar("Answer")


class ServiceRequests:
    """Limits, times and repeats the requests to one service, and sends nothing for a while if it is down.

    It is down after several timeouts or lost connections in a row, or after one timeout if it never answered.
    `cures` complete the error messages, by HTTP status; the cure for 0 is for all other failures.
    """

    def __init__(
        self,
        name: str,
        *,
        cures: Mapping[int, str],
        timeout_s: float,
        attempts: int,
        at_once: int = AT_ONCE,
        first_wait_s: float = 0.5,
    ) -> None:
        """`timeout_s` is for one request. A request that got no answer in time is not repeated."""
        self.name = name
        self._cures, self._timeout_s, self._busy_until = cures, timeout_s, 0.0
        self._attempts = Attempts(
            name,
            Limiter(at_once),
            attempts=attempts,
            first_wait_s=first_wait_s,
            rests_after=("timeout", "connection"),
            known=False,
        )

    async def __call__(self, request: Callable[[], Awaitable[Answer]]) -> Answer:
        """Calls `request`, repeats it after a failure that may pass, and returns its answer.

        `request` may raise `CallFailure`. Raises `RetrievalError` with the cure after the last failure.
        """
        try:
            return await self._attempts(lambda: self._request(request))
        except CallFailure as failure:
            cure = self._cures.get(failure.status or 0, self._cures[0])
            raise RetrievalError(f"{failure}: {cure}") from failure

    async def _request(self, request: Callable[[], Awaitable[Answer]]) -> Answer:
        # When the service asks one request to wait, all requests wait: each would be asked the same.
        await asyncio.sleep(max(0.0, self._busy_until - time.monotonic()))
        late = f"{self.name} cannot be reached (no answer within {self._timeout_s:g} s)"
        try:
            return await in_time(request(), self._timeout_s, late)
        except CallFailure as failure:
            if (wait := failure.retry_after or 0.0) <= LONGEST_WAIT_S:
                self._busy_until = max(self._busy_until, time.monotonic() + wait)
            raise


class JsonService:
    """Sends GET requests to a service that answers with JSON objects."""

    def __init__(self, requests: ServiceRequests, headers: Mapping[str, str]) -> None:
        self._requests = requests
        # No timeout here: the client's own timeout is for a single read, and does not end a slow stream.
        certified = certificates()
        self._clients = PerLoop(
            lambda: bounded_client(
                requests.name, headers=headers, verify=certified, timeout=None, follow_redirects=True
            ),
            httpx2.AsyncClient.aclose,
        )

    async def get(self, url: str, params: Mapping[str, str]) -> dict[str, Any]:
        """Requests `url` and returns the JSON object of the answer. Raises `RetrievalError`."""
        return await self._requests(lambda: self._get(url, params))

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._clients.aclose()

    async def _get(self, url: str, params: Mapping[str, str]) -> dict[str, Any]:
        name, secrets = self._requests.name, secrets_of(None, url)
        try:
            response = await self._clients.get().get(url, params=params)
        except httpx2.TransportError as error:
            why = shown(redacted(str(error), secrets)) or type(error).__name__
            raise CallFailure("connection", f"{name} cannot be reached ({why})") from error
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise failure_of(error, name, secrets) from error
        text = without_keys(response.text, secrets)
        if not response.is_success:
            raise failure_of_status(response.status_code, response.headers, text, name, secrets)
        return _object(response, text, name)


def _object(response: httpx2.Response, text: str, name: str) -> dict[str, Any]:
    try:
        answer = valid(json.loads(text))
    except (ValueError, RecursionError):
        answer = None
    if not isinstance(answer, dict):
        raise CallFailure("server", f"{name} did not answer with a JSON object")
    if "error" in answer and "retry-after" in response.headers:  # as MediaWiki does, with status 200
        message = str(answer["error"])
        raise failure_of_status(429, response.headers, message, name)
    return answer


async def outcomes(calls: list[Awaitable[Answer]]) -> list[Answer | RetrievalError]:
    """Awaits all `calls` at once. Returns for each, in order, its value or its `RetrievalError`."""
    return await asyncio.gather(*(_outcome(call) for call in calls))


def joined(documents: Sequence[Sequence[Passage] | RetrievalError]) -> list[Passage]:
    """Returns the passages of all documents in one list. Raises the first failure if there are none."""
    passages = [
        passage for document in documents if not isinstance(document, RetrievalError) for passage in document
    ]
    failures = [document for document in documents if isinstance(document, RetrievalError)]
    if failures and not passages:
        raise failures[0]
    return passages


async def _outcome(call: Awaitable[Answer]) -> Answer | RetrievalError:
    try:
        return await call
    except RetrievalError as error:
        return error
