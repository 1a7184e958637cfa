"""A scripted server that also answers with calls of a tool, and in the protocol of responses."""

import json
from collections.abc import Iterator
from typing import Any

from rarr.testing import Request, ScriptedServer
from rarr.testing.http_listener import Reply

TOOL: Any = {"type": "function", "function": {"name": "look_up", "parameters": {"type": "object"}}}
TOKEN = 4


class Upstream(ScriptedServer):
    """Calls the tool that a request offers."""

    def _reply_to(self, request: Request) -> Reply:
        if request.path != "/v1/responses" and not request.body.get("tools"):
            return super()._reply_to(request)
        answers: Any = self._answers
        text, streams = answers(request), bool(request.body.get("stream"))
        events = list(_calling(text) if request.body.get("tools") else _responding(text))
        if not streams:
            whole = events[-1]["response"] if "response" in events[-1] else _whole_call(text)
            return Reply(200, _json(whole))
        named = [(b"event: %b\n" % each["type"].encode() if "type" in each else b"", each) for each in events]
        body = b"".join(b"%bdata: %b\n\n" % (name, _json(each)) for name, each in named)
        return Reply(
            200, body + (b"" if "type" in events[-1] else b"data: [DONE]\n\n"), (), "text/event-stream"
        )


def _json(value: Any) -> bytes:
    return json.dumps(value).encode()


def _called(arguments: str) -> dict[str, Any]:
    return {
        "index": 0,
        "id": "c1",
        "type": "function",
        "function": {"name": "look_up", "arguments": arguments},
    }


def _whole_call(text: str) -> dict[str, Any]:
    message = {"role": "assistant", "content": None, "tool_calls": [_called(text)]}
    choice = {"index": 0, "message": message, "finish_reason": "tool_calls"}
    return {"id": "1", "object": "chat.completion", "created": 1, "model": "m", "choices": [choice]}


def _calling(text: str) -> Iterator[dict[str, Any]]:
    head = {"id": "1", "object": "chat.completion.chunk", "created": 1, "model": "m"}
    for n in range(0, len(text), TOKEN):
        delta = {"tool_calls": [_called(text[n : n + TOKEN])]}
        yield {**head, "choices": [{"index": 0, "delta": delta, "finish_reason": None}]}
    yield {**head, "choices": [{"index": 0, "delta": {}, "finish_reason": "tool_calls"}]}


def _responding(text: str) -> Iterator[dict[str, Any]]:
    part = {"type": "output_text", "text": text, "annotations": []}
    item = {"id": "m1", "type": "message", "role": "assistant", "status": "completed", "content": [part]}
    whole = {
        "id": "r1",
        "object": "response",
        "created_at": 1,
        "status": "completed",
        "error": None,
        "model": "m",
        "output": [item],
        "parallel_tool_calls": True,
        "tool_choice": "auto",
        "tools": [],
    }
    at = {"output_index": 0, "item_id": "m1", "content_index": 0}
    events: list[dict[str, Any]] = [
        {"type": "response.created", "response": {**whole, "status": "in_progress", "output": []}},
        {"type": "response.output_item.added", "output_index": 0, "item": {**item, "content": []}},
        {"type": "response.content_part.added", **at, "part": {**part, "text": ""}},
        *(
            {"type": "response.output_text.delta", **at, "delta": text[n : n + TOKEN], "logprobs": []}
            for n in range(0, len(text), TOKEN)
        ),
        {"type": "response.output_text.done", **at, "text": text, "logprobs": []},
        {"type": "response.content_part.done", **at, "part": part},
        {"type": "response.output_item.done", "output_index": 0, "item": item},
        {"type": "response.completed", "response": whole},
    ]
    for number, event in enumerate(events):
        yield {**event, "sequence_number": number}
