"""Makes the replies of a scripted server to POST /v1/responses, from the chat completion of its script."""

from collections.abc import Iterator, Mapping
from itertools import count
from typing import Any

from rarr.testing.replies import Reply, as_json
from rarr.testing.server_failure_plan import DieMidAnswer, Entry, Stall
from rarr.testing.streamed_replies import TOKEN
from rarr.testing.token_counting import NO_TOKENS
from rarr.tools.models.chat import Tokens


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
    *parts, end = map(_event, count(), _events(response))
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
    for call in message.get("tool_calls") or ():
        yield {
            "id": f"fc_{name}",
            "type": "function_call",
            "call_id": call["id"],
            "status": "completed",
            **call["function"],
        }


def _events(response: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    begun = {**response, "status": "in_progress", "output": [], "usage": None}
    yield {"type": "response.created", "response": begun}
    yield {"type": "response.in_progress", "response": begun}
    for index, item in enumerate(response["output"]):
        place = {"output_index": index, "item_id": item["id"]}
        empty: dict[str, Any] = {"content": []} if item["type"] == "message" else {"arguments": ""}
        yield {
            "type": "response.output_item.added",
            "output_index": index,
            "item": {**item, "status": "in_progress", **empty},
        }
        yield from _of_text(item, place) if item["type"] == "message" else _of_call(item, place)
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


def _of_call(item: Mapping[str, Any], place: Mapping[str, Any]) -> Iterator[dict[str, Any]]:
    arguments = item["arguments"]
    yield {"type": "response.function_call_arguments.delta", **place, "delta": arguments}
    yield {
        "type": "response.function_call_arguments.done",
        **place,
        "name": item["name"],
        "arguments": arguments,
    }


def _event(number: int, data: Mapping[str, Any]) -> bytes:
    return b"event: %b\ndata: %b\n\n" % (data["type"].encode(), as_json({**data, "sequence_number": number}))
