"""Looks up the models' answers, and what they cost, in a trace for a run that is resumed or replayed."""

import json
from collections import defaultdict
from typing import Any

from rarr.records.usage import NodeUsage
from rarr.tools.models.chat import Answer, CallFailure, ChatRequest, Tokens
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace


class RecordedAnswers:
    """The answers of all models of a run, by question, in the order in which they came."""

    def __init__(self, trace: Trace) -> None:
        asks = {span.number: span for span in trace.spans if span.kind == "ask"}
        self._answers: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in trace.spans:
            question = asks.get(span.parent)
            if span.kind == "request" and question and question.body and "samples" in span.body:
                more, body = span.body.get("more", []), question.body
                key = _key(span.name, body["prompt"], body["user"], more, span.body["samples"])
                self._answers[key].append(span)

    def answer(self, model: str, ask: ChatRequest) -> Answer | None:
        """Returns the next answer to this question, without failures; None if there is none.

        The last answer is returned again and again.
        """
        spans = self._of(model, ask)
        spans[:] = [span for span in spans if _is_answer(span)]
        return answer_of(_next(spans)) if spans else None

    def take(self, model: str, ask: ChatRequest) -> StoredSpan | None:
        """Returns the span of the next answer or failure for this question; None if there is none.

        The last span is returned again and again.
        """
        spans = self._of(model, ask)
        return _next(spans) if spans else None

    def _of(self, model: str, ask: ChatRequest) -> list[StoredSpan]:
        more = [list(message) for message in ask.messages[2:]]
        return self._answers[_key(model, ask.prompt[2], ask.messages[1].content, more, ask.samples)]


def _next(spans: list[StoredSpan]) -> StoredSpan:
    """Removes and returns the first span. The last span stays, and is returned again."""
    return spans.pop(0) if len(spans) > 1 else spans[0]


def _is_answer(span: StoredSpan) -> bool:
    return bool(span.body.get("texts"))


def _key(model: str, prompt: str, user: str, more: Any, samples: int) -> str:
    return json.dumps([model, prompt, user, more, samples])


def answer_of(span: StoredSpan) -> Answer:
    """Returns the answer in a span. Raises a recorded `CallFailure`."""
    body = span.body
    if "failure" in body:
        message = span.error.partition(": ")[2]
        raise CallFailure(
            body["failure"],
            message,
            body.get("retry_after"),
            status=body.get("status"),
            said=body.get("answer", ""),
            tokens=Tokens(*body["said"]),
            limit=body.get("limit"),
        )
    if not body["texts"]:
        raise CallFailure("connection", f"{span.name} had not answered when the recorded run ended")
    return Answer(
        tuple(body["texts"]),
        Tokens(*body["said"]),
        body.get("cut", False),
        body.get("served", ""),
    )


def spending_by_node(trace: Trace) -> dict[str, NodeUsage]:
    """Sums calls, tokens, cost, saved answers and seconds by node.

    An unfinished request, of unknown cost, is left out.
    """
    spent: dict[str, NodeUsage] = {}
    for node in (span for span in trace.spans if span.kind == "node"):
        usage = spent.get(node.name, NodeUsage()) + NodeUsage(calls=1, seconds=node.seconds or 0.0)
        for span in trace.within(node, "ask", "request"):
            if span.kind == "ask" and span.body.get("saved") is not None:
                usage += NodeUsage(saved_calls=1)
            if span.kind == "request" and "samples" in span.body:
                names = ("input_tokens", "output_tokens", "cached_tokens")
                tokens = dict(zip(names, span.body["tokens"], strict=True))
                usage += NodeUsage(model_calls=1, **tokens, cost=span.body["cost"])
        spent[node.name] = usage
    return spent
