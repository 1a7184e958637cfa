"""A scripted server that also answers in the protocol of responses."""

import json
from collections.abc import Iterator
from typing import Any

from rarr.testing import Request, ScriptedServer
from rarr.testing.http_listener import Reply

TOKEN = 4


class Upstream(ScriptedServer):
    """Answers requests to both protocols with its scripted texts."""

    def _reply_to(self, request: Request) -> Reply:
        if request.path != "/v1/responses":
            return super()._reply_to(request)
        answers: Any = self._answers
        events = list(_responding(answers(request)))
        if not request.body.get("stream"):
            return Reply(200, json.dumps(events[-1]["response"]).encode())
        body = "".join(f"event: {each['type']}\ndata: {json.dumps(each)}\n\n" for each in events)
        return Reply(200, body.encode(), (), "text/event-stream")


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
    starts = range(0, len(text), TOKEN)
    events: list[tuple[str, dict[str, Any]]] = [
        ("created", {"response": {**whole, "status": "in_progress", "output": []}}),
        ("output_item.added", {"output_index": 0, "item": {**item, "content": []}}),
        ("content_part.added", {**at, "part": {**part, "text": ""}}),
        *(("output_text.delta", {**at, "delta": text[n : n + TOKEN], "logprobs": []}) for n in starts),
        ("output_text.done", {**at, "text": text, "logprobs": []}),
        ("content_part.done", {**at, "part": part}),
        ("output_item.done", {"output_index": 0, "item": item}),
        ("completed", {"response": whole}),
    ]
    for number, (name, event) in enumerate(events):
        yield {"type": f"response.{name}", **event, "sequence_number": number}
