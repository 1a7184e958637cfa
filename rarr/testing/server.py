"""Runs a scripted OpenAI-compatible server on this machine, in threads of the calling process."""

import json
import socket
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from itertools import islice
from types import TracebackType
from typing import Any, Literal, Self

from rarr.testing.http_listener import Listener
from rarr.testing.received_request import Request, RequestLog
from rarr.testing.replies import (
    TOKEN,
    Reply,
    completion,
    failed,
    in_one_piece,
    instead,
    model_list,
    pieces,
    response_of,
    streamed,
    streamed_response,
)
from rarr.testing.scripted_model import Answers, TokenCounter, UnansweredError, answer_to
from rarr.testing.server_failure_plan import CutOff, Endless, Hang, Plan, PlanReader, Stall
from rarr.tools.models.chat import Tokens, estimated_tokens

Dialect = Literal["vllm", "openai", "plain"]

_FORMATS = ("text", "json_object", "json_schema")
_OPENAI = frozenset({
    "audio", "frequency_penalty", "function_call", "functions", "logit_bias", "logprobs",
    "max_completion_tokens", "max_tokens", "messages", "metadata", "modalities", "model", "n",
    "parallel_tool_calls", "prediction", "presence_penalty", "prompt_cache_key",
    "prompt_cache_retention", "reasoning_effort", "response_format", "safety_identifier", "seed",
    "service_tier", "stop", "store", "stream", "stream_options", "temperature", "tool_choice", "tools",
    "top_logprobs", "top_p", "user", "verbosity", "web_search_options",
})  # fmt: skip
"""The fields of a request that OpenAI documents."""


@dataclass(frozen=True)
class Strictness:
    """The rules for refusing requests. `rejects`: refused parameters. `echo_key`: show wrong keys in full."""

    dialect: Dialect
    requires_key: str | None
    echo_key: bool
    rejects: tuple[str, ...]

    def refused_key(self, request: Request) -> Reply | None:
        """Makes the error for a request without the right key; None if the key is right or not required."""
        header = request.headers.get("authorization", "")
        if self.requires_key is None or header == f"Bearer {self.requires_key}":
            return None
        given = header.removeprefix("Bearer ")
        if not given:
            return failed(401, "You didn't provide an API key.")
        shown = given if self.echo_key else f"{given[:5]}***{given[-2:]}" if len(given) > 9 else "***"
        return failed(401, f"Incorrect API key provided: {shown}.", code="invalid_api_key")

    def refused(self, request: Request) -> Reply | None:
        """Makes the error for a request that the rules refuse; None if it is to be answered."""
        if not request.messages:
            return failed(400, "Missing required parameter: 'messages'.", param="messages")
        if request.n < 1:
            return failed(400, "Invalid 'n': it must be at least 1.", param="n")
        for name in self.rejects:
            if name in request.body:
                value = json.dumps(request.body[name])
                return failed(
                    400,
                    f"Unsupported value: '{name}' does not support {value} with this model.",
                    code="unsupported_value",
                    param=name,
                )
        return _REFUSALS[self.dialect](request)


def _vllm(request: Request) -> Reply | None:
    """Ignores unknown parameters, such as `guided_json`, as vLLM does; refuses an unknown response format."""
    return _unknown_format(request)


def _openai(request: Request) -> Reply | None:
    if unknown := sorted(set(request.body) - _OPENAI):
        plural = "s" if len(unknown) > 1 else ""
        return failed(400, f"Unrecognized request argument{plural} supplied: {', '.join(unknown)}")
    return _unknown_format(request)


def _plain(request: Request) -> Reply | None:
    for name in ("response_format", "tools"):
        if name in request.body:
            return failed(400, f"{name} is not supported", param=name)
    return failed(400, "n is not supported", param="n") if request.n > 1 else None


_REFUSALS = {"vllm": _vllm, "openai": _openai, "plain": _plain}


def _unknown_format(request: Request) -> Reply | None:
    given = request.body.get("response_format")
    kind = given.get("type") if isinstance(given, dict) else given
    if given is None or kind in _FORMATS:
        return None
    return failed(
        400,
        f"Invalid value: {kind!r}. response_format.type is one of {', '.join(_FORMATS)}.",
        param="response_format",
    )


class ScriptedServer:
    """Answers POST /v1/chat/completions and /v1/responses by its script, and GET /v1/models.

        with ScriptedServer({"When did it open?": {"verdict": "agrees"}}, plan=[Status(429)]) as server:
            client = AsyncOpenAI(base_url=server.url, api_key="none")

    `answers`: a function of the `Request`, called for each sample and from several threads, or a mapping from
    a part of the messages to the answer. A request without an answer gets status 400.
    `latency`: seconds before an answer; `tokens_a_second` adds the time to generate the longest answer, whose
    tokens come one by one where the request asks to stream.
    `plan`: a failure (or None) for each request for a completion; `plan_for_ever` repeats the plan.
    `dialect`: `vllm` ignores unknown parameters, `openai` refuses them, and `plain` refuses
    `response_format`, `tools` and `n`.
    `requires_key`: another key gets status 401, which shows a part of that key; with `echo_key`, all of it.
    `rejects`: parameters that are refused, as a model refuses a temperature.
    `prefix_cache`: usage has `cached_tokens`, by the rule of `TokenCounter`.
    `probability`: that of each answer, if logprobs are requested; None: the server gives none.
    `on_request`: a function that is called with each line of the log. `port`: 0 is any free port.
    """

    def __init__(
        self,
        answers: Answers[Request],
        *,
        models: Sequence[str] = ("scripted",),
        port: int = 0,
        latency: float = 0.0,
        tokens_a_second: float | None = None,
        plan: Plan = (),
        plan_for_ever: bool = False,
        dialect: Dialect = "vllm",
        requires_key: str | None = None,
        echo_key: bool = False,
        rejects: Sequence[str] = (),
        prefix_cache: bool = True,
        probability: float | None = None,
        on_request: Callable[[dict[str, Any]], None] | None = None,
    ) -> None:
        self._answers = answers
        self._models = models
        self._port = port
        self._latency = latency
        self._tokens_a_second = tokens_a_second
        self._plan = PlanReader(plan, plan_for_ever)
        self._strictness = Strictness(dialect, requires_key, echo_key, tuple(rejects))
        self._counter = TokenCounter(prefix_cache)
        self._probability = probability
        self._record = RequestLog(on_request)
        self._listener: Listener | None = None

    def __enter__(self) -> Self:
        self._listener = Listener(self._port, self._record, self._reply_to)
        self._port = self._listener.server_port
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        """Ends every connection and stops listening; a hanging request ends at once."""
        if self._listener is not None:
            self._listener.close()
            self._listener = None

    @property
    def url(self) -> str:
        """The base URL. After closing, it refuses connections. Raises `RuntimeError` before the start."""
        if not self._port:
            raise RuntimeError(
                "a ScriptedServer has a URL once it is entered: with ScriptedServer(...) as server"
            )
        return f"http://127.0.0.1:{self._port}/v1"

    @property
    def requests(self) -> list[Request]:
        """All requests, in the order of arrival."""
        return self._record.requests

    @property
    def log(self) -> list[dict[str, Any]]:
        """All requests and their outcomes, as JSON values, without API keys."""
        return self._record.log

    @property
    def in_flight_most(self) -> int:
        """The largest number of requests at once."""
        return self._record.in_flight_most

    @property
    def tokens(self) -> Tokens:
        """The sum of the tokens in the usage of all answers."""
        return self._record.tokens

    def _reply_to(self, request: Request) -> Reply:
        match request.method, request.path:
            case "GET", "/v1/models":
                return self._strictness.refused_key(request) or model_list(self._models)
            case "POST", "/v1/chat/completions" | "/v1/responses":
                try:
                    return self._completion(request)
                except UnansweredError as error:
                    return failed(400, str(error))
                except Exception as error:  # the caller's functions may raise anything
                    return failed(500, f"the script raised {type(error).__name__}: {error}")
        return failed(404, f"Invalid URL ({request.method} {request.path})", code="unknown_url")

    def _completion(self, request: Request) -> Reply:
        entry = self._plan.take(request)
        streams = bool(request.body.get("stream"))
        if isinstance(entry, Stall) and not streams:
            entry = Hang()
        refusal = instead(entry) or self._strictness.refused_key(request) or self._strictness.refused(request)
        if refusal is not None:
            return refusal
        texts = [answer_to(replace(request, sample=n), self._answers) for n in range(request.n)]
        if isinstance(entry, CutOff):
            texts = [text[: len(text) // 2] for text in texts]
        if isinstance(entry, Endless):
            texts = ["".join(islice(pieces(entry), request.most_tokens))[: TOKEN * request.most_tokens]]
        tokens = self._counter.count([message.content for message in request.messages], texts)
        whole = completion(request, texts, tokens, entry, self._probability)
        pause = 1 / self._tokens_a_second if self._tokens_a_second else 0.0
        if request.path == "/v1/responses":
            whole = response_of(whole)
            if streams:
                return streamed_response(whole, entry, tokens, self._latency, pause)
        elif streams:
            return streamed(whole, request, entry, tokens, self._latency, pause)
        longest = max(estimated_tokens([text]) for text in texts)
        return in_one_piece(whole, entry, tokens, self._latency + longest * pause)


def refused_url() -> str:
    """Returns a base URL on this machine at which nobody listens."""
    with socket.socket() as once:
        once.bind(("127.0.0.1", 0))
        return f"http://127.0.0.1:{once.getsockname()[1]}/v1"
