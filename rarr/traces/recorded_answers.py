"""What the models of a run answered, taken from its trace: a resumed or replayed run asks them no more."""

import json
from collections import defaultdict
from typing import Any

from rarr.tools.models.chat import Adapted, Answer, CallFailure, ChatRequest, Tokens
from rarr.traces.file import StoredSpan
from rarr.traces.trace import Trace


class RecordedAnswers:
    """The answers of all models of a run, in the order in which they came, by what was asked."""

    def __init__(self, trace: Trace) -> None:
        asks = {span.number: span for span in trace.spans if span.kind == "ask"}
        self._answers: dict[str, list[StoredSpan]] = defaultdict(list)
        for span in trace.spans:
            asked = asks.get(span.parent)
            if span.kind == "request" and asked and asked.body and "samples" in span.body:
                more, body = span.body.get("more", []), asked.body
                key = _key(span.name, body["prompt"], body["user"], more, span.body["samples"])
                self._answers[key].append(span)

    def answer(self, model: str, ask: ChatRequest) -> Answer | None:
        """The next answer to this question, whatever failed before it; None: there is none."""
        found = self._of(model, ask)
        found[:] = [span for span in found if span.body.get("texts")]
        return answered(_next(found)) if found else None

    def take(self, model: str, ask: ChatRequest) -> StoredSpan | None:
        """The next to this question, answer or failure; None: there is none."""
        found = self._of(model, ask)
        return _next(found) if found else None

    def _of(self, model: str, ask: ChatRequest) -> list[StoredSpan]:
        more = [list(message) for message in ask.messages[2:]]
        return self._answers[_key(model, ask.prompt[2], ask.messages[1].content, more, ask.samples)]


def _next(found: list[StoredSpan]) -> StoredSpan:
    """The first, which is used up; the last is there for ever."""
    return found.pop(0) if len(found) > 1 else found[0]


def _key(model: str, prompt: str, user: str, more: Any, samples: int) -> str:
    return json.dumps([model, prompt, user, more, samples])


def answered(span: StoredSpan) -> Answer:
    body = span.body
    if body.get("failure") == "adapted":
        raise Adapted(span.error.partition(": ")[2])
    if "failure" in body:
        told = span.error.partition(": ")[2]
        raise CallFailure(
            body["failure"],
            told,
            body.get("retry_after"),
            status=body.get("status"),
            said=body.get("answer", ""),
            tokens=Tokens(*body["said"]),
        )
    if not body["texts"]:
        raise CallFailure("connection", f"{span.name} had not answered when the recorded run ended")
    return Answer(tuple(body["texts"]), Tokens(*body["said"]))
