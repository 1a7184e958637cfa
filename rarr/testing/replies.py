"""Makes the replies of a scripted server, whole and streamed, in the form of OpenAI's chat completions."""

import json
import time
import uuid
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from http import HTTPStatus
from itertools import chain, cycle, repeat
from typing import Any, Literal

from rarr.testing.http_listener import FOREVER, Reply, Request
from rarr.testing.scripted_model import NO_TOKENS
from rarr.tools.models.chat import Tokens

TOKEN = 4  # characters of a token
DRIP_S = 0.02
_PAGE = b"<!DOCTYPE html><html><body><h1>Welcome to the gateway</h1></body></html>"
_DONE = b"data: [DONE]\n\n"


@dataclass(frozen=True)
class Failure:
    """How a request fails: `Failure(429)` by a status of HTTP, `Failure("hang")` in another way.

        hang      no answer comes
        drip      a byte comes at a time, without end
        stall     a stream stops after its first token; an answer in one piece hangs
        endless   `message` comes again and again; an answer in one piece ends at `max_tokens`
        die       the connection closes after half of the answer
        cut       half of each text comes, with finish_reason "length"
        html      the page of a proxy comes with status 200
        empty     a completion without choices comes
        no_usage  a completion without usage comes

    `message` and `retry_after`, in seconds, belong to a status.
    """

    kind: int | Literal["hang", "drip", "stall", "endless", "die", "cut", "html", "empty", "no_usage"]
    message: str = ""
    retry_after: float | None = None


def failed(status: int, message: str, *, param: str | None = None, retry_after: float | None = None) -> Reply:
    """Makes an error in OpenAI's form."""
    kind = "server_error" if status >= 500 else "invalid_request_error"
    error = {"message": message, "type": kind, "param": param, "code": None}
    return Reply(status, _as_json({"error": error}), retry_after=retry_after)


def instead(failure: Failure | None, *, streams: bool = False) -> Reply | None:
    """Makes the reply that a failure puts in place of an answer; None if a completion is to be sent."""
    match failure:
        case Failure(int(status), message, retry_after):
            return failed(status, message or HTTPStatus(status).phrase, retry_after=retry_after)
        case Failure("hang" | "stall") if failure.kind == "hang" or not streams:
            return Reply(200, steps=[FOREVER])
        case Failure("drip"):
            return Reply(200, steps=cycle([b" ", DRIP_S]))
        case Failure("html"):
            return Reply(200, _PAGE, content_type="text/html")
    return None


def answered(
    request: Request, texts: Sequence[str], tokens: Tokens, failure: Failure | None, latency: float
) -> Reply:
    """Makes the reply with these texts, whole or streamed, damaged as the failure says."""
    kind = failure.kind if failure else None
    if kind == "cut":
        texts = [text[: len(text) // 2] for text in texts]
    elif kind == "endless":
        assert failure is not None
        most = TOKEN * int(request.body.get("max_tokens") or 1000)
        texts = [(failure.message * most)[:most]]
    whole = _completion(request, texts, "length" if kind in ("cut", "endless") else "stop")
    if kind == "empty":
        whole["choices"] = []
    if kind != "no_usage":
        whole["usage"] = _usage(tokens)
    counted = tokens if kind not in ("no_usage", "die", "stall") else NO_TOKENS
    if streams := bool(request.body.get("stream")):
        *parts, end = _chunks(whole, request)
    else:
        body = _as_json(whole)
        parts, end = [body[: len(body) // 2]], body[len(body) // 2 :]
    steps: Iterator[bytes | float | None] = iter(parts)
    if kind == "die":
        steps = chain(parts[: (len(parts) + 1) // 2], [None])
    elif kind == "stall":
        steps = chain(parts[:1], [FOREVER])
    elif kind == "endless" and streams:
        steps = repeat(parts[0])
    media = "text/event-stream" if streams else "application/json"
    return Reply(200, end, chain([latency], steps), media, tokens=counted)


def _completion(request: Request, texts: Sequence[str], finish: str) -> dict[str, Any]:
    return {
        "id": f"chatcmpl-{uuid.uuid4().hex}",
        "object": "chat.completion",
        "created": int(time.time()),
        "model": request.model,
        "choices": [
            {
                "index": index,
                "message": {"role": "assistant", "content": text},
                "logprobs": None,
                "finish_reason": finish,
            }
            for index, text in enumerate(texts)
        ],
    }


def _usage(tokens: Tokens) -> dict[str, Any]:
    return {
        "prompt_tokens": tokens.input,
        "completion_tokens": tokens.output,
        "total_tokens": tokens.input + tokens.output,
        "prompt_tokens_details": {"cached_tokens": tokens.cached},
    }


def _chunks(whole: Mapping[str, Any], request: Request) -> Iterator[bytes]:
    """Yields the events of a stream, a token each; the last has the usage, if it is requested."""
    head = {**whole, "object": "chat.completion.chunk", "usage": None}
    for choice in whole["choices"]:
        text = choice["message"]["content"]
        deltas = [{"role": "assistant", "content": text[n : n + TOKEN]} for n in range(0, len(text), TOKEN)]
        for delta in (*deltas, {}):
            finish = None if delta else choice["finish_reason"]
            made = {"index": choice["index"], "delta": delta, "logprobs": None, "finish_reason": finish}
            yield b"data: " + _as_json({**head, "choices": [made]}) + b"\n\n"
    if "usage" in whole and (request.body.get("stream_options") or {}).get("include_usage"):
        yield b"data: " + _as_json({**head, "choices": [], "usage": whole["usage"]}) + b"\n\n" + _DONE
    else:
        yield _DONE


def _as_json(value: object) -> bytes:
    return json.dumps(value, ensure_ascii=False).encode(errors="backslashreplace")  # \\ud800, as in JSON
