"""Makes the replies of a scripted server, in the forms of OpenAI's protocol."""

import json
import math
import time
import uuid
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from math import log
from typing import Any

from rarr.testing.received_request import Request
from rarr.testing.server_failure_plan import (
    CutOff,
    DieMidAnswer,
    Drip,
    Empty,
    Endless,
    Entry,
    Hang,
    NotJson,
    NoUsage,
    Status,
)
from rarr.testing.token_counting import NO_TOKENS
from rarr.tools.models.chat import Tokens

_PAGE = b"<!DOCTYPE html><html><body><h1>Welcome to the gateway</h1></body></html>"


@dataclass(frozen=True)
class Reply:
    """An HTTP reply, to be sent after `wait` seconds. `tokens` are the tokens of its usage.

    `dies`: only half of the body is sent. `drip`: seconds between bytes that are sent without end instead.
    `parts`: what is sent before the body, with `pause` seconds before each of them; `stalls`: the body is not
    sent.
    """

    status: int
    body: bytes = b""
    content_type: str = "application/json"
    retry_after: float | None = None
    wait: float = 0.0
    dies: bool = False
    drip: float | None = None
    parts: Iterable[bytes] | None = None
    pause: float = 0.0
    stalls: bool = False
    tokens: Tokens = NO_TOKENS


def failed(
    status: int,
    message: str,
    *,
    code: str | None = None,
    param: str | None = None,
    retry_after: float | None = None,
) -> Reply:
    """Makes an error in OpenAI's form."""
    kind = (
        "server_error" if status >= 500 else "rate_limit_error" if status == 429 else "invalid_request_error"
    )
    error = {"message": message, "type": kind, "param": param, "code": code}
    return Reply(status, as_json({"error": error}), retry_after=retry_after)


def model_list(names: Sequence[str]) -> Reply:
    """Makes the list of the served models."""
    data = [{"id": name, "object": "model", "created": 0, "owned_by": "rarr"} for name in names]
    return Reply(200, as_json({"object": "list", "data": data}))


def instead(entry: Entry | None) -> Reply | None:
    """Makes the failure that the plan wants in place of an answer; None if a completion is to be sent."""
    match entry:
        case Status(code, retry_after, message):
            return failed(code, message or HTTPStatus(code).phrase, retry_after=retry_after)
        case Hang():
            return Reply(200, wait=math.inf)
        case Drip(seconds):
            return Reply(200, drip=seconds)
        case NotJson():
            return Reply(200, _PAGE, content_type="text/html")
        case _:
            return None


def completion(
    request: Request,
    texts: Sequence[str],
    tokens: Tokens,
    entry: Entry | None,
    probability: float | None = None,
) -> dict[str, Any]:
    """Makes a chat completion with a choice for each text, damaged as `entry` of the plan says."""
    finish = "length" if isinstance(entry, CutOff | Endless) else "stop"
    choices = [
        {
            "index": index,
            "message": _message(request, text),
            "logprobs": _logprobs(request, text, probability),
            "finish_reason": finish,
        }
        for index, text in enumerate(texts)
    ]
    whole: dict[str, Any] = {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [] if isinstance(entry, Empty) else choices,
    }
    return whole if isinstance(entry, NoUsage) else whole | {"usage": _usage(tokens)}


def in_one_piece(whole: dict[str, Any], entry: Entry | None, tokens: Tokens, wait: float) -> Reply:
    """Makes the reply that sends a chat completion in one piece."""
    dies = isinstance(entry, DieMidAnswer)
    counted = "usage" in whole and not dies
    return Reply(200, as_json(whole), wait=wait, dies=dies, tokens=tokens if counted else NO_TOKENS)


def _logprobs(request: Request, text: str, probability: float | None) -> dict[str, Any] | None:
    """Makes logprobs with the text as one token; None if they are not requested or there is none."""
    if probability is None or not request.body.get("logprobs"):
        return None
    return {"content": [{"token": text, "logprob": log(probability)}]}


def _message(request: Request, text: str) -> dict[str, Any]:
    """Makes a message with the text, or a function call with the text as arguments if one is offered."""
    tools = request.body.get("tools")
    if not tools or request.body.get("tool_choice") == "none":
        return {"role": "assistant", "content": text}
    function = {"name": request.prompt, "arguments": text}
    call = {"id": f"call_{uuid.uuid4().hex[:12]}", "type": "function", "function": function}
    return {"role": "assistant", "content": None, "tool_calls": [call]}


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
    }


def as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")  # \\ud800, as in JSON
