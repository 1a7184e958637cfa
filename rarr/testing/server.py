"""Runs a scripted OpenAI-compatible server on this machine, in threads of the calling process."""

import json
import socket
import threading
from collections.abc import Callable, Iterator, Sequence
from dataclasses import replace
from itertools import cycle

from rarr.testing.http_listener import Listener, Reply, Request
from rarr.testing.replies import Failure, answered, failed, instead
from rarr.testing.scripted_model import Answers, TokenCounter, UnansweredError, answer_to

Plan = Sequence[Failure | None] | Callable[[Request], Failure | None]
"""One entry for each request for completions, in the order of arrival, then none; None is a normal answer.

Or a function of the request.
"""


class ScriptedServer(Listener):
    """Answers POST /v1/chat/completions by its script, and GET /v1/models.

        with ScriptedServer({"When did it open?": {"verdict": "agrees"}}, plan=[Failure(429)]) as server:
            client = AsyncOpenAI(base_url=server.url, api_key="none")

    `answers`: a function of the `Request`, called for each sample and from several threads, or a mapping from
    a part of the messages to the answer. A request without an answer gets status 400.
    `plan`: a failure (or None) for each request for a completion; `plan_for_ever` repeats the plan.
    `requires_key`: another key gets status 401, which shows that key, as careless servers do.
    `rejects`: parameters that are refused, such as `response_format`, or as a model refuses a temperature.
    `latency`: seconds before an answer. `port`: 0 is any free port.
    """

    def __init__(
        self,
        answers: Answers[Request],
        *,
        models: Sequence[str] = ("scripted",),
        port: int = 0,
        latency: float = 0.0,
        plan: Plan = (),
        plan_for_ever: bool = False,
        requires_key: str | None = None,
        rejects: Sequence[str] = (),
    ) -> None:
        super().__init__(self._reply_to, port=port)
        self._answers, self._models, self._latency = answers, models, latency
        self._requires_key, self._rejects = requires_key, tuple(rejects)
        self._plan = plan if callable(plan) else None
        entries: Sequence[Failure | None] = () if callable(plan) else plan
        self._entries: Iterator[Failure | None] = cycle(entries) if plan_for_ever else iter(entries)
        self._taking = threading.Lock()
        self._counter = TokenCounter()

    def _reply_to(self, request: Request) -> Reply:
        match request.method, request.path:
            case "GET", "/v1/models":
                data = [
                    {"id": name, "object": "model", "created": 0, "owned_by": "r"} for name in self._models
                ]
                models = Reply(200, json.dumps({"object": "list", "data": data}).encode())
                return self._refused_key(request) or models
            case "POST", "/v1/chat/completions":
                try:
                    return self._completed(request)
                except UnansweredError as error:
                    return failed(400, str(error))
                except Exception as error:  # the caller's functions may raise anything
                    return failed(500, f"the script raised {type(error).__name__}: {error}")
        return failed(404, f"Invalid URL ({request.method} {request.path})")

    def _completed(self, request: Request) -> Reply:
        failure = self._next_failure(request)
        streams = bool(request.body.get("stream"))
        if (
            refusal := instead(failure, streams=streams)
            or self._refused_key(request)
            or self._refused(request)
        ):
            return refusal
        texts = [answer_to(replace(request, sample=n), self._answers) for n in range(request.n)]
        tokens = self._counter.count([message.content for message in request.messages], texts)
        return answered(request, texts, tokens, failure, self._latency)

    def _next_failure(self, request: Request) -> Failure | None:
        if self._plan is not None:
            return self._plan(request)
        with self._taking:
            return next(self._entries, None)

    def _refused_key(self, request: Request) -> Reply | None:
        header = request.headers.get("authorization", "")
        if self._requires_key is None or header == f"Bearer {self._requires_key}":
            return None
        if given := header.removeprefix("Bearer "):
            return failed(401, f"Incorrect API key provided: {given}.")
        return failed(401, "You didn't provide an API key.")

    def _refused(self, request: Request) -> Reply | None:
        if not request.messages:
            return failed(400, "Missing required parameter: 'messages'.", param="messages")
        for name in self._rejects:
            if name in request.body and (name != "n" or request.n > 1):
                said = f"'{name}' does not support {json.dumps(request.body[name])} with this model."
                return failed(400, f"Unsupported value: {said}", param=name)
        return None


def refused_url() -> str:
    """Returns a base URL on this machine at which nobody listens."""
    with socket.socket() as once:
        once.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{once.getsockname()[1]}/v1"
