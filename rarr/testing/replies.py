"""Makes the replies of a scripted server, whole and streamed, in the forms of OpenAI's two protocols."""

import json
import math
import time
import uuid
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import count, cycle, islice
from math import log
from typing import Any

from rarr.testing.received_request import Request
from rarr.testing.scripted_model import NO_TOKENS
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
    Stall,
    Status,
)
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


TOKEN = 4  # characters of a token
DONE = b"data: [DONE]\n\n"


def streamed(
    whole: Mapping[str, Any], request: Request, entry: Entry | None, tokens: Tokens, wait: float, pause: float
) -> Reply:
    """Makes the reply that streams the completion `whole`, with `pause` seconds before each token.

    The stream is damaged as `entry` of the plan says.
    """
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    rounds = _endless(entry) if isinstance(entry, Endless) else _rounds(whole["choices"])
    parts: Iterable[bytes] = (_events(head, choices) for choices in rounds)
    if isinstance(entry, Stall):
        parts = islice(parts, entry.tokens)
    elif isinstance(entry, DieMidAnswer):
        made = list(parts)
        parts = made[: len(made) // 2]
    ends = not isinstance(entry, DieMidAnswer | Endless | Stall)
    return Reply(
        200,
        _end(whole, head, request),
        content_type="text/event-stream",
        wait=wait,
        dies=isinstance(entry, DieMidAnswer),
        tokens=tokens if ends and "usage" in whole else NO_TOKENS,
        parts=parts,
        pause=pause,
        stalls=isinstance(entry, Stall),
    )


def _rounds(choices: list[Mapping[str, Any]]) -> Iterator[list[dict[str, Any]]]:
    """Yields the events of all choices that are sent together: the next token, or the end, of each."""
    waiting = [_choice_events(choice) for choice in choices]
    while together := [event for events in waiting if (event := next(events, None)) is not None]:
        yield together


def _choice_events(choice: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    """Yields the events of a choice; its text is one token if its probability is known."""
    message, index, logprobs = dict(choice["message"]), choice["index"], choice["logprobs"]
    calls = message.pop("tool_calls", None)
    text = calls[0]["function"]["arguments"] if calls else message.pop("content")
    size = len(text) if logprobs else TOKEN
    for start in range(0, len(text), size or 1):
        piece = text[start : start + size]
        if calls:
            named = calls[0] if start == 0 else {}
            function = {**(named.get("function") or {}), "arguments": piece}
            delta: dict[str, Any] = {"tool_calls": [{"index": 0, **named, "function": function}]}
        else:
            delta = {"content": piece}
        first = message if start == 0 else {}
        yield {"index": index, "delta": {**first, **delta}, "logprobs": logprobs, "finish_reason": None}
    yield {"index": index, "delta": {}, "finish_reason": choice["finish_reason"]}


def _endless(entry: Endless) -> Iterator[list[dict[str, Any]]]:
    for piece in pieces(entry):
        yield [{"index": 0, "delta": {"content": piece}, "finish_reason": None}]


def pieces(entry: Endless) -> Iterator[str]:
    """Yields the tokens of an endless answer."""
    return (f" {number}" for number in count()) if entry.piece is None else cycle([entry.piece])


def _events(head: Mapping[str, Any], choices: list[dict[str, Any]]) -> bytes:
    return b"".join(b"data: " + as_json({**head, "choices": [choice]}) + b"\n\n" for choice in choices)


def _end(whole: Mapping[str, Any], head: Mapping[str, Any], request: Request) -> bytes:
    """Makes the end of a stream: the usage, if it is requested, and the mark of the end."""
    if "usage" in whole and (request.body.get("stream_options") or {}).get("include_usage"):
        usage = {**head, "choices": [], "usage": whole["usage"]}
        return b"data: " + as_json(usage) + b"\n\n" + DONE
    return DONE


def response_of(whole: Mapping[str, Any]) -> dict[str, Any]:
    """Turns a chat completion into an answer of the Responses API, with the items of its first choice."""
    name = str(whole["id"]).removeprefix("chatcmpl-")
    choice = whole["choices"][0] if whole["choices"] else None
    cut = choice is not None and choice["finish_reason"] == "length"
    usage = whole.get("usage")
    return {
        "id": f"resp_{name}",
        "object": "response",
        "created_at": whole["created"],
        "status": "incomplete" if cut else "completed",
        "incomplete_details": {"reason": "max_output_tokens"} if cut else None,
        "error": None,
        "model": whole["model"],
        "output": list(_items(choice["message"], name)) if choice else [],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
        "usage": usage
        and {
            "input_tokens": usage["prompt_tokens"],
            "input_tokens_details": {"cached_tokens": 0, "cache_write_tokens": 0},
            "output_tokens": usage["completion_tokens"],
            "output_tokens_details": {"reasoning_tokens": 0},
            "total_tokens": usage["total_tokens"],
        },
    }


def streamed_response(
    response: Mapping[str, Any], entry: Entry | None, tokens: Tokens, wait: float, pause: float
) -> Reply:
    """Makes the reply that streams a response, with `pause` seconds before each event."""
    *parts, end = map(_event, count(), _response_events(response))
    if isinstance(entry, Stall):
        parts = parts[: entry.tokens + 4]  # the events before the first token
    elif isinstance(entry, DieMidAnswer):
        parts = parts[: len(parts) // 2]
    ends = not isinstance(entry, DieMidAnswer | Stall)
    return Reply(
        200,
        end,
        content_type="text/event-stream",
        wait=wait,
        dies=isinstance(entry, DieMidAnswer),
        tokens=tokens if ends else NO_TOKENS,
        parts=parts,
        pause=pause,
        stalls=isinstance(entry, Stall),
    )


def _items(message: Mapping[str, Any], name: str) -> Iterator[dict[str, Any]]:
    if message.get("content") is not None:
        part = {"type": "output_text", "text": message["content"], "annotations": [], "logprobs": []}
        yield {
            "id": f"msg_{name}",
            "type": "message",
            "role": "assistant",
            "status": "completed",
            "content": [part],
        }


def _response_events(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(response["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        yield {
            "type": "response.output_item.added",
            "output_index": index,
            "item": {**item, "status": "in_progress", "content": []},
        }
        yield from _of_text(item, place)
        yield {"type": "response.output_item.done", "output_index": index, "item": item}
    yield {"type": f"response.{response['status']}", "response": dict(response)}


def _of_text(item: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    part, here = item["content"][0], {**place, "content_index": 0}
    yield {"type": "response.content_part.added", **here, "part": {**part, "text": ""}}
    for start in range(0, len(part["text"]), TOKEN):
        delta = part["text"][start : start + TOKEN]
        yield {"type": "response.output_text.delta", **here, "delta": delta, "logprobs": []}
    yield {"type": "response.output_text.done", **here, "text": part["text"], "logprobs": []}
    yield {"type": "response.content_part.done", **here, "part": part}


def _event(number: int, data: Mapping[str, Any]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (data["type"].encode(), as_json({**data, "sequence_number": number}))
