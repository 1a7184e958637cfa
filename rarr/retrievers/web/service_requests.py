"""Sends requests to services that answer with JSON: few at once, with a timeout and retries."""

import asyncio
import json
from collections.abc import Awaitable, Mapping, Sequence
from contextlib import suppress
from functools import partial
from typing import Any, TypeVar

import httpx2

from rarr.errors import RetrievalError
from rarr.settings import Settings
from rarr.tools.concurrency import PerLoop, time_limit
from rarr.tools.guard.bounded_http_client import LONGEST, bounded_client, certificates
from rarr.tools.models.chat import CallFailure
from rarr.tools.models.failures import failure_of, failure_of_status, secrets_of, without_secrets
from rarr.tools.models.retries import Attempts, Limiter
from rarr.tools.models.run_budget import meter
from rarr.valid_unicode import valid

_AT_ONCE = 4  # requests to one service: free services ask their users to be moderate

Answer = TypeVar("Answer")


class JsonService:
    """Sends requests to one service. After several failures in a row, sends nothing for a while.

    `cures` maps an HTTP status to the advice that ends the error message. 0 stands for all other failures.
    """

    def __init__(
        self,
        name: str,
        cures: Mapping[int, str],
        *,
        timeout_s: float = 10.0,
        headers: Mapping[str, str] = {},
        api_key: str | None = None,
        most: int = LONGEST,
        limiter: Limiter | None = None,
    ) -> None:
        """`timeout_s`: the limit of one request. A request that reaches this limit is not repeated.

        `most`: the most bytes of an answer. `api_key` is sent as a bearer token, and removed from answers.
        """
        self._name, self._cures, self._timeout_s, self._key = name, cures, timeout_s, api_key
        self._attempts = Attempts(name, limiter or Limiter(_AT_ONCE), Settings.attempts)
        sent = {**headers, **({"Authorization": f"Bearer {api_key}"} if api_key else {})}
        # No timeout here: the client's own timeout is for a single read, and does not end a slow stream.
        options = {"verify": certificates(), "timeout": None, "follow_redirects": not api_key}
        self._clients = PerLoop(
            lambda: bounded_client(name, most=most, headers=sent, **options), httpx2.AsyncClient.aclose
        )
        self.aclose = self._clients.aclose

    async def ask(self, url: str, **options: Mapping[str, Any]) -> dict[str, Any]:
        """Sends `params` by GET, or `json` by POST. Returns the answer, a dict. Raises `RetrievalError`."""
        try:
            return await self._attempts(partial(self._answer, url, options))
        except CallFailure as failure:
            cure = self._cures.get(failure.status or 0, self._cures[0])
            raise RetrievalError(f"{failure}: {cure}") from failure

    async def _answer(self, url: str, options: Mapping[str, Any]) -> dict[str, Any]:
        name, secrets = self._name, secrets_of(self._key, url)
        method = "POST" if "json" in options else "GET"
        late = f"{name} cannot be reached (no answer within {self._timeout_s:g} s)"
        try:
            async with time_limit(self._timeout_s, lambda: CallFailure("timeout", late)):
                response = await self._clients.get().request(method, url, **options)
        except (httpx2.HTTPError, httpx2.InvalidURL) as error:
            raise failure_of(error, name, secrets) from error
        text = without_secrets(response.text, secrets)
        if not response.is_success:
            raise failure_of_status(response.status_code, response.headers, text, name, secrets)
        answer = None
        with suppress(ValueError, RecursionError):
            answer = valid(json.loads(text))
        if not isinstance(answer, dict):
            raise CallFailure("server", f"{name} did not answer with a JSON object")
        if "error" in answer and "retry-after" in response.headers:  # as MediaWiki does, with status 200
            raise failure_of_status(429, response.headers, str(answer["error"]), name, secrets)
        return answer


async def await_all(
    calls: Sequence[Awaitable[Answer]], *, pages: bool = False
) -> list[Answer | RetrievalError]:
    """Awaits all `calls` together. Returns the value or the `RetrievalError` of each call, in order.

    If `pages`, each call reads a page, and may take half of the run's remaining time: the run needs the rest.
    """
    left = meter().remaining_s if pages else None
    seconds = None if left is None else left / 2
    late = "it took more than half of the time that was left: raise deadline_s"

    async def outcome(call: Awaitable[Answer]) -> Answer | RetrievalError:
        try:
            async with time_limit(seconds, lambda: RetrievalError(late)):
                return await call
        except RetrievalError as error:
            return error

    return await asyncio.gather(*map(outcome, calls))
