"""Makes the entries for questions to language models, and for requests to their servers and others."""

import json
from collections.abc import Iterator, Sequence
from typing import Any

from rarr.tools.text.plurals_and_articles import counted
from rarr.traces.trace_file import StoredSpan
from rarr.traces.trace_reader import Trace
from rarr.views.terminal.revision import one_line
from rarr.views.terminal.trace.entry_tree import Entry, detail, took

_REASON = 200  # characters


def question(trace: Trace, span: StoredSpan, inner: Sequence[Entry], *, full: bool) -> Entry:
    """Makes the entry of a question, with its requests `inner`; with `full`, also prompt and answers."""
    named = f"{span.name} {span.about}".strip()
    text = f"question {named}  {took(span.seconds)}{_saved(span)}{spent(trace, span)}{failing(span)}"
    body, fields = trace.body(span), facts(span)
    if body:
        prompt = trace.prompts[body["prompt"]]
        prompt_fields = {name: getattr(prompt, name) for name in ("name", "version", "hash", "system")}
        fields |= {**body, "prompt": prompt_fields}
    details = (*_sent(trace, body), *inner, *_read(body)) if full and body else inner
    return Entry("ask", one_line(text), _about(span), bool(span.error), fields, tuple(details))


def attempt(span: StoredSpan, *, full: bool) -> Entry:
    """Makes the entry of a request to a server; with `full`, also the raw answers."""
    body = span.body
    text = f"{span.name}  {took(span.seconds)}{_tokens(body)}{failing(span)}"
    inner = tuple(_raw(body)) if full else ()
    return Entry("request", one_line(text), _about(span), bool(span.error), {**facts(span), **body}, inner)


def facts(span: StoredSpan) -> dict[str, Any]:
    """Returns the fields that all spans have, for JSON."""
    names = {"number", "name", "about", "started", "seconds", "error"}
    return span.model_dump(mode="json", include=names)


def failing(span: StoredSpan) -> str:
    """Formats the error of the span; "" if it has none."""
    return f"  failed: {one_line(span.error, _REASON)}" if span.error else ""


def spent(trace: Trace, span: StoredSpan) -> str:
    """Formats the sum of the tokens of the requests within a span; "" if none are known."""
    tokens = [request.body["tokens"] for request in trace.within(span, "request") if "tokens" in request.body]
    return f", {counted(sum(counts[0] + counts[1] for counts in tokens), 'token')}" if tokens else ""


def _saved(span: StoredSpan) -> str:
    """Tells that the answer came from the saved readings; "" for others."""
    return ", a saved reading, not asked" if span.body.get("saved") else ""


def _tokens(body: dict[str, Any]) -> str:
    if "tokens" not in body:
        return ""
    sent, answered, cached = body["tokens"]
    estimated = " (estimated)" * (any(body["tokens"]) and not any(body["said"]))
    cost = f", cost {body['cost']:.4f}" if body.get("cost") else ""
    known = f" ({cached:,} cached)" if cached else ""
    return f", {counted(sent, 'token')} in{known}, {answered:,} out{estimated}{cost}"


def _sent(trace: Trace, body: dict[str, Any]) -> Iterator[Entry]:
    prompt = trace.prompts[body["prompt"]]
    temperature = f"temperature {body['temperature']:g}"
    named = f"prompt {prompt.name}, version {prompt.version}, hash {prompt.hash}, {temperature}"
    yield Entry("detail", one_line(named))
    yield detail("system:", prompt.system)
    yield detail("user:", body["user"])


def _raw(body: dict[str, Any]) -> Iterator[Entry]:
    if "samples" in body:
        text = f"samples {body['samples']}, at most {counted(body['max_tokens'], 'token')} an answer"
        yield Entry("detail", text)
    for role, content in body.get("more", ()):
        yield detail(one_line(f"{role}:"), content)
    for text in body.get("texts", ()):
        yield detail("answer:", text)
    if message := body.get("answer"):
        yield detail("the server said:", message)


def _read(body: dict[str, Any]) -> Iterator[Entry]:
    for answer in body.get("answers", ()):
        text = answer if isinstance(answer, str) else json.dumps(answer, ensure_ascii=False, indent=2)
        yield detail("read as:", text)


def _about(span: StoredSpan) -> frozenset[str]:
    return frozenset([span.about]) if span.about else frozenset()
