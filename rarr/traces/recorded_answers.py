"""Looks up the models' answers, and what they cost, in a trace for a run that is resumed or replayed."""

import json
from collections import defaultdict
from typing import Any

from rarr.tools.models.chat import Answer, CallFailure, ChatRequest, Tokens
from rarr.tools.models.run_budget import Tally
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


def spending_by_node(trace: Trace) -> dict[str, Tally]:
    """Sums calls, tokens, cost, saved answers and seconds by node.

    An unfinished request, of unknown cost, is left out.
    """
    tallies: dict[str, Tally] = {}
    for node in (span for span in trace.spans if span.kind == "node"):
        tally = tallies.setdefault(node.name, Tally())
        tally.calls += 1
        tally.seconds += node.seconds or 0.0
        for span in trace.within(node, "ask", "request"):
            tally.saved_calls += span.kind == "ask" and span.body.get("saved") is not None
            if span.kind == "request" and "samples" in span.body:
                input_, output, cached = span.body["tokens"]
                tally += Tally(0, 0.0, 1, input_, output, cached, span.body["cost"])
        tallies[node.name] = tally
    return tallies
