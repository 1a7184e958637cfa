"""Streams the completions of a scripted server as server-sent events, token by token."""

from collections.abc import Iterable, Iterator, Mapping
from itertools import count, cycle, islice
from typing import Any

from rarr.testing.received_request import Request
from rarr.testing.replies import Reply, as_json
from rarr.testing.server_failure_plan import DieMidAnswer, Endless, Entry, Stall
from rarr.testing.token_counting import NO_TOKENS
from rarr.tools.models.chat import Tokens

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
