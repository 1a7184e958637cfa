"""Refuses requests as real servers do: those with another key, or with parameters unknown to a dialect."""

import json
from dataclasses import dataclass
from typing import Literal

from rarr.testing.received_request import Request
from rarr.testing.replies import Reply, failed

Dialect = Literal["vllm", "openai", "plain"]

_FORMATS = ("text", "json_object", "json_schema")
# The fields of a request that OpenAI documents.
_OPENAI = frozenset(
    {
        "audio",
        "frequency_penalty",
        "function_call",
        "functions",
        "logit_bias",
        "logprobs",
        "max_completion_tokens",
        "max_tokens",
        "messages",
        "metadata",
        "modalities",
        "model",
        "n",
        "parallel_tool_calls",
        "prediction",
        "presence_penalty",
        "prompt_cache_key",
        "prompt_cache_retention",
        "reasoning_effort",
        "response_format",
        "safety_identifier",
        "seed",
        "service_tier",
        "stop",
        "store",
        "stream",
        "stream_options",
        "temperature",
        "tool_choice",
        "tools",
        "top_logprobs",
        "top_p",
        "user",
        "verbosity",
        "web_search_options",
    }
)


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
