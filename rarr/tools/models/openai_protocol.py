"""Sends requests to chat models of a server with OpenAI's protocol, such as vLLM.

The JSON schema of an answer is sent as `response_format`; vLLM and OpenAI constrain the answer by it. A
server that refuses it is asked for a function call, then in JSON mode, then for plain text.

Answers are streamed, so that a slow answer is told from a server that hangs, and an answer that repeats
itself is left at once. A server that cannot stream sends its answers in one piece.

The requests are made with httpx2, on which the OpenAI client is built. That client needs two and a half times
the CPU for a call (3.5 ms instead of 1.4 ms on a 2-core machine), and its additions are off or done here.
"""

import json
import re
from collections.abc import Mapping, Sequence
from dataclasses import replace
from functools import cache
from math import exp, isfinite
from typing import Any

import httpx2

from rarr.tools.concurrency.per_loop import PerLoop
from rarr.tools.guard.bounded_http_client import bounded_client, is_event_stream
from rarr.tools.models.answer_waits import LONGEST as LONGEST_WAIT, stream_requested
from rarr.tools.models.chat import (
    FULL_FORM,
    Adapted,
    Answer,
    CallFailure,
    ChatRequest,
    FormatKind,
    RequestForm,
    Tokens,
    estimated_tokens,
)
from rarr.tools.models.client_failures import (
    failure_of,
    failure_of_status,
    redacted,
    refused_part,
    secrets_of,
)
from rarr.tools.models.event_stream import LONGEST_STREAM, read_events
from rarr.tools.models.stop_reasons import Stop, other_function, stop_of, whole
from rarr.tools.models.streamed_answer import StreamedAnswer

CONNECT_S = 5.0
PROBE_S = 5.0
certificates = cache(httpx2.create_ssl_context)  # otherwise 40 ms for each client
_STRING_VALUE = re.compile(r':\s*"((?:[^"\\]|\\.)+)"')
_FORMATS: tuple[FormatKind, ...] = ("json_schema", "function", "json_object", "text")


class OpenAIProtocol:
    """A `ChatModel` of one server. A part of a request that the server refused is not sent again."""

    def __init__(
        self,
        name: str,
        *,
        base_url: str,
        api_key: str | None,
        timeout_s: float,
        extra: dict[str, Any] | None = None,
        form: RequestForm = FULL_FORM,
    ) -> None:
        """`name` is provider:model. `extra` goes into the body of every request. `form` is sent first.

        `timeout_s` is for sending a request; `BudgetedChat` bounds the waits for the answer.
        """
        self.name = name
        self._base_url = base_url.rstrip("/")
        self.secrets = secrets_of(api_key, base_url)
        self._shown_url = redacted(self._base_url, self.secrets)
        self._extra = extra or {}
        self._formats = list(_FORMATS[_FORMATS.index(form.kind) :])
        self._left_out = set(form.left_out)
        certified = certificates()  # here, since it reads files: clients are made on the event loop
        self._clients = PerLoop(
            lambda: bounded_client(
                name,
                headers={"Authorization": f"Bearer {api_key}"} if api_key else {},
                most_events=LONGEST_STREAM,
                verify=certified,
                timeout=httpx2.Timeout(
                    timeout_s, connect=CONNECT_S, read=LONGEST_WAIT * timeout_s, pool=None
                ),
                limits=httpx2.Limits(max_connections=None, max_keepalive_connections=None),
            ),
            httpx2.AsyncClient.aclose,
        )

    async def complete(self, ask: ChatRequest) -> Answer:
        """Sends one request; without `n`, if the server refused it, the answer has one sample.

        Raises `Adapted` if the server refused a part, and `CallFailure` for any other failure.
        """
        kind = self._formats[0]
        body = self._body(kind, ask)
        try:
            completion = await self._completion(ask, body)
        except Exception as error:
            failure = failure_of(error, f"{self.name} at {self._shown_url}", self.secrets)
            if failure.status is not None and self._adapts(failure, kind, body):
                raise Adapted(str(failure)) from None
            raise failure from None
        return _answer(completion, self.name, ask.name, self.secrets)

    def _body(self, kind: str, ask: ChatRequest) -> dict[str, Any]:
        """Makes the body of the request, without the parts that the server refused before."""
        left_out = self._left_out | ({"stream_options"} if "stream" in self._left_out else set())
        body = {
            "model": self.name.partition(":")[2],
            "messages": [message._asdict() for message in ask.messages],
            "max_tokens": ask.max_tokens,
            "temperature": ask.temperature,
            "stream": True,
            "stream_options": {"include_usage": True},
            **({"n": ask.samples} if ask.samples > 1 else {}),
            **({"logprobs": True} if ask.probability else {}),
            **_format(kind, ask),
            **self._extra,
        }
        if "max_tokens" in left_out:  # the name that newer models of OpenAI use
            body["max_completion_tokens"] = ask.max_tokens
        return {key: value for key, value in body.items() if key not in left_out}

    async def _completion(self, ask: ChatRequest, body: Mapping[str, Any]) -> Any:
        """Sends the request, and reads the completion in one piece or from its events."""
        url = f"{self._base_url}/chat/completions"
        if body.get("stream"):
            stream_requested()
        async with self._clients.get().stream("POST", url, json=body) as response:
            if is_event_stream(response):
                streamed = StreamedAnswer(int(body.get("n", 1)), _most_tokens(body), self.name)
                await read_events(response, streamed, self.name, self.secrets)
                return streamed.completion(estimated_tokens([message.content for message in ask.messages]))
            await response.aread()
        if not response.is_success:
            raise failure_of_status(
                response.status_code, response.headers, response.text, self.name, self.secrets
            )
        completion = response.json()
        if isinstance(completion, dict) and completion.get("choices"):
            self._left_out.add("stream")  # it was asked to stream, and did not
        return completion

    async def probe(self) -> str:
        """Checks, at no cost, that the server lists the model; returns the address in words.

        Raises `CallFailure` if it does not, or cannot be reached.
        """
        try:
            served = [str(model["id"]) for model in (await self.facts("models"))["data"]]
        except (KeyError, TypeError) as error:
            raise failure_of(error, f"{self.name} at {self._shown_url}", self.secrets) from None
        if self.name.partition(":")[2] not in served:
            models = redacted(", ".join(served), self.secrets)
            raise CallFailure("refused", f"{self.name}: the server has {models or 'no model'} alone")
        return f"served by {self._shown_url}"

    async def facts(self, path: str) -> Any:
        """Reads the JSON at `path`, relative to the base URL, which costs nothing. Raises `CallFailure`."""
        try:
            response = await self._clients.get().get(f"{self._base_url}/{path}", timeout=PROBE_S)
            if response.is_success:
                return response.json()
        except Exception as error:
            raise failure_of(error, f"{self.name} at {self._shown_url}", self.secrets) from None
        raise failure_of_status(
            response.status_code, response.headers, response.text, self.name, self.secrets
        )

    @property
    def form(self) -> RequestForm:
        """The form of the next request."""
        return RequestForm(self._formats[0], frozenset(self._left_out))

    async def aclose(self) -> None:
        """Closes its connections in the running event loop."""
        await self._clients.aclose()

    def _adapts(self, failure: CallFailure, kind: str, body: Mapping[str, Any]) -> bool:
        """Leaves the part that the server refused out of later requests; False if it named no part."""
        parts = {"logprobs", "temperature", "max_tokens", "n", "stream", "stream_options"}
        sent = parts & body.keys() | ({"format"} if kind != "text" else set())
        part = refused_part(failure, self.name, sent)
        if part == "format" and self._formats[0] == kind:
            self._formats.pop(0)
        elif part is not None and part != "format":
            self._left_out.add(part)
        return part is not None


def _most_tokens(body: Mapping[str, Any]) -> int:
    """Reads the limit of the answer's tokens, which the settings may have raised in the extra body."""
    limits = [body.get(name) for name in ("max_tokens", "max_completion_tokens")]
    return max(limit for limit in limits if isinstance(limit, int))


def _format(kind: str, ask: ChatRequest) -> dict[str, Any]:
    schema = dict(ask.schema)
    match kind:
        case "json_schema":
            described = {"name": ask.name, "schema": schema, "strict": True}
            return {"response_format": {"type": "json_schema", "json_schema": described}}
        case "function":
            function = {"name": ask.name, "description": "Gives the answer.", "parameters": schema}
            chosen = {"type": "function", "function": {"name": ask.name}}
            return {"tools": [{"type": "function", "function": function}], "tool_choice": chosen}
        case "json_object":
            return {"response_format": {"type": "json_object"}}
        case _:
            return {}


def _answer(completion: Any, name: str, function: str, secrets: Sequence[str]) -> Answer:
    """Reads the answer in the JSON of a completion. Raises `CallFailure` if it has no usable text."""
    try:
        outcomes = [_outcome(choice, function, secrets) for choice in completion["choices"]]
    except (AttributeError, KeyError, TypeError, IndexError):
        outcomes = []
    if not outcomes:
        excerpt = redacted(json.dumps(completion, ensure_ascii=False), secrets)[:200]
        raise CallFailure("server", f"{name} did not answer with a completion: {excerpt}")
    answer = whole(outcomes, _tokens(completion.get("usage")), name)
    answered = zip(completion["choices"], outcomes, strict=True)
    probabilities = [_probability(choice) for choice, outcome in answered if isinstance(outcome, str)]
    known = tuple(probability for probability in probabilities if probability is not None)
    answer = replace(answer, reasoned=_reasoned(completion))
    return replace(answer, probabilities=known) if len(known) == len(answer.texts) else answer


def _reasoned(completion: Mapping[str, Any]) -> bool:
    """True if a message has its reasoning beside the answer, or if the usage counts tokens of reasoning."""
    messages = [choice["message"] for choice in completion["choices"]]
    if any(message.get("reasoning_content") or message.get("reasoning") for message in messages):
        return True
    usage = completion.get("usage")
    details = usage.get("completion_tokens_details") if isinstance(usage, dict) else None
    return bool(isinstance(details, dict) and details.get("reasoning_tokens"))


def _outcome(choice: Mapping[str, Any], function: str, secrets: Sequence[str]) -> str | Stop:
    """Reads the text of a choice, or the reason why it cannot be used."""
    message = choice["message"]
    refusal = redacted(str(message.get("refusal") or ""), secrets)
    calls = [call["function"] for call in message.get("tool_calls") or ()]
    text = str(calls[0]["arguments"] if calls else message.get("content") or "")
    stop = stop_of(choice.get("finish_reason"), refusal, text)
    stop = stop or other_function([call.get("name") for call in calls], function)
    return stop or text


def _probability(choice: Mapping[str, Any]) -> float | None:
    """Multiplies the token probabilities of the strings in a choice's JSON; None if the server gave none.

    The braces and names around a string do not count: they say nothing about it. The whole text counts if it
    has no string.
    """
    try:
        tokens = [(str(token["token"]), float(token["logprob"])) for token in choice["logprobs"]["content"]]
    except (KeyError, TypeError, ValueError):
        return None
    values = [match.span(1) for match in _STRING_VALUE.finditer("".join(text for text, _ in tokens))]
    total, start, counted = 0.0, 0, 0
    for text, logprob in tokens:
        end = start + len(text)
        if not values or any(start < last and first < end for first, last in values):
            total, counted = total + logprob, counted + 1
        start = end
    return exp(min(total, 0.0)) if counted and isfinite(total) else None


def _tokens(usage: Any) -> Tokens:
    """Reads the token counts; a count that is missing or has another form is 0."""
    if not isinstance(usage, dict):
        return Tokens()
    details = usage.get("prompt_tokens_details")
    cached = details.get("cached_tokens") if isinstance(details, dict) else 0
    counts = (usage.get("prompt_tokens"), usage.get("completion_tokens"), cached)
    return Tokens(*(count if isinstance(count, int) else 0 for count in counts))
