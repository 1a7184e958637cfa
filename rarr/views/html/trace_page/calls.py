"""What one call of a node, or one question to a model, saw and said."""

from collections.abc import Mapping, Sequence
from typing import Any, get_args

from rarr.records import Verdict
from rarr.tools.text.markup import folded, isolated, linked, shown, table
from rarr.tools.text.nouns import counted
from rarr.traces.file import StoredSpan
from rarr.views.html.trace_page.pieces import (
    anchor,
    chip,
    duration,
    fields,
    jump,
    money,
    pairs,
    pre,
    to_span,
    told,
    words,
)
from rarr.views.html.trace_page.view import View

_VERDICTS = get_args(Verdict)


def body(span: StoredSpan, view: View) -> str:
    """What is shown where it is opened."""
    return _question(span, view) if span.kind == "ask" else _call(span, view)


def outcome(body: Mapping[str, Any]) -> tuple[str, str]:
    """What the answers of a question say, in a few words of markup, and their verdict where they have one."""
    answers = body.get("answers") or []
    first = answers[0] if answers else {}
    if (verdict := first.get("verdict")) in _VERDICTS:
        return chip(str(verdict)), str(verdict)
    if "span" in first and "revision" in first:
        old, new = (shown(str(first[name])[:60]) for name in ("span", "revision"))
        return f'<span class="facts"><bdi>{old}</bdi> → <bdi>{new}</bdi></span>', ""
    return (f'<span class="facts">{len(answers)} answers</span>' if len(answers) > 1 else ""), ""


def _question(span: StoredSpan, view: View) -> str:
    body = view.trace.body(span)
    requests = [one for one in view.trace.inner[span.number] if one.kind == "request"]
    parts = [
        _error(span),
        pairs(_facts(span, body, requests, view)),
        _message(body),
        _instructions(body["prompt"], view) if body else "",
        _answers(body.get("answers", ())) if body else "",
        *(_raw(view.trace.body(one)) for one in requests),
        _attempts(requests, view),
    ]
    return "".join(parts)


def _message(body: Mapping[str, Any]) -> str:
    if not body:
        return "<p>What it asked is known once it has ended.</p>"
    return f"<h4>User message</h4>{pre(body['user'])}"


def _facts(
    span: StoredSpan, body: Mapping[str, Any], requests: Sequence[StoredSpan], view: View
) -> dict[str, str]:
    prompt = view.trace.prompts[body["prompt"]] if body else None
    sent = [view.trace.body(one) for one in requests]
    return {
        "Prompt": f"{jump('prompt', prompt.hash, shown(prompt.name))} version {shown(prompt.version)},"
        f" <code>{shown(prompt.hash)}</code>"
        if prompt
        else "",
        "About": _about(span, view),
        "Model": ", ".join(dict.fromkeys(isolated(one.name) for one in requests)),
        "Asked for": words(
            [
                f"temperature {body['temperature']:g}" if body else "",
                *(
                    f"{key.replace('_', ' ')} {sent[0][key]:,}"
                    for key in ("samples", "max_tokens")
                    if sent and key in sent[0]
                ),
            ]
        ),
        "Tokens": _tokens(sent),
        "Cost": " + ".join(money(one["cost"]) for one in sent if "cost" in one),
        "Time": words([duration(span.seconds), _waited(span, requests)]),
    }


def _about(span: StoredSpan, view: View) -> str:
    """The query or evidence, and what that led to."""
    evidence = view.found.get(span.about)
    query = view.asked.get(evidence.query_id if evidence else span.about)
    edits = [edit for edit in view.edits if query and edit.query_id == query.id]
    if evidence:
        edits = [edit for edit in edits if edit.evidence_id == evidence.id]
    places = view.sentences_of.get(query.id, []) if query else []
    return words(
        [
            f'query {jump("q", query.id)}: <span dir="auto">{shown(query.text)}</span>' if query else "",
            f"evidence {jump('ev', evidence.id)}" if evidence else "",
            *(f"edit {jump('edit', edit.id)}" for edit in edits),
            *(f"sentence {jump('sentence', n)}" for n in places),
            "" if query else isolated(span.about) if span.about else "",
        ]
    )


def _tokens(sent: Sequence[Mapping[str, Any]]) -> str:
    counts = [one["tokens"] for one in sent if "tokens" in one]
    total = [sum(column) for column in zip(*counts, strict=True)]
    names = ("in", "out", "of these cached")
    return ", ".join(f"{count:,} {name}" for count, name in zip(total, names, strict=False) if count)


def _waited(span: StoredSpan, requests: Sequence[StoredSpan]) -> str:
    if not requests:
        return "never sent"
    wait = requests[0].started - span.started
    return f"waited {duration(wait)} for its turn" if wait > 0.001 else ""


def _instructions(prompt: str, view: View) -> str:
    """The system message, which many questions share; the script brings it here."""
    there = f"<p>It stands with {jump('prompt', prompt, 'its prompt')}.</p>"
    name = anchor("system", prompt)
    return f'<details data-copy="{name}"><summary>System message</summary>{there}</details>'


def _answers(answers: Sequence[Mapping[str, Any]]) -> str:
    if not answers:
        return "<h4>Answer as read</h4><p>None could be read.</p>"
    heading = "Answer as read" if len(answers) == 1 else f"{len(answers)} answers as read"
    return f"<h4>{heading}</h4>" + "".join(fields(one) for one in answers)


def _raw(body: Mapping[str, Any]) -> str:
    more = "".join(f"<h4>{shown(role)}</h4>{pre(said)}" for role, said in body.get("more", ()))
    texts, said = body.get("texts", ()), body.get("answer", "")
    raw = "".join(pre(one or "(nothing)") for one in texts)
    raw += f"<h4>The server says</h4>{pre(said)}" if said else ""
    if not (raw or more):
        return ""
    summary = "Raw answer" if len(texts) < 2 else f"{len(texts)} raw answers"
    return folded(summary if not more else f"{summary}, asked once more", more + raw)


def _attempts(requests: Sequence[StoredSpan], view: View) -> str:
    """Of one that went well, all is said already."""
    if not any(one.error or one.seconds is None for one in requests) and len(requests) < 2:
        return ""
    columns = ("Attempt", "Began", "Took", "Tokens", "Outcome")
    lines = [_attempt(n, one, view) for n, one in enumerate(requests, start=1)]
    return table("Attempts", columns, lines, numbers="-nnn-")


def _attempt(number: int, span: StoredSpan, view: View) -> list[str]:
    body = view.trace.body(span)
    status = " ".join(str(body[key]) for key in ("failure", "status") if body.get(key))
    wait = f", asks to wait {body['retry_after']} s" if body.get("retry_after") else ""
    good = chip("not ended") if span.seconds is None else "answered"
    wrong = f"{chip('error', status)} {isolated(span.error)}{shown(wait)}" if span.error else good
    return [
        f"{number}: {isolated(span.name)}",
        f"+{duration(span.started - view.zero)}",
        duration(span.seconds),
        _tokens([body]) or "–",
        wrong,
    ]


def _call(span: StoredSpan, view: View) -> str:
    body = view.trace.body(span)
    update = body.get("update") or {}
    inner = view.trace.inner[span.number]
    parts = [_error(span), pairs({"About": _about(span, view), **_written(update)}), _documents(update)]
    parts += [scored(one, view) for one in inner if one.kind == "score"]
    parts.append(_attempts([one for one in inner if one.kind == "request"], view))
    return "".join(parts)


def _error(span: StoredSpan) -> str:
    return f"<p>{chip('error')} {isolated(span.error)}</p>" if span.error else ""


def _written(update: Mapping[str, Any]) -> dict[str, str]:
    """The keys of the state that a node wrote: how many, or what where it is short."""
    wrote = {
        name: value for name, value in update.items() if name not in ("passages", "text", "report", "scores")
    }
    found = {shown(name): _value(value) for name, value in wrote.items() if value not in ([], {}, None)}
    if "text" in update:
        found["text"] = "changed"
    if (report := update.get("report")) is not None:
        found["report"] = f"{counted(len(report.sentences), 'sentence')}, coverage {report.coverage:.2f}"
    if (scores := update.get("scores")) is not None:
        found["scores"] = ", ".join(f"{shown(k)} {v:.2f}" for k, v in scores if v is not None)
    return {f"Wrote {name}": html for name, html in found.items()}


def _value(value: Any) -> str:
    if isinstance(value, (list, tuple)) and all(hasattr(one, "message") for one in value):
        return "<br>".join(f"{shown(one.code)}: {isolated(one.message)}" for one in value)
    if isinstance(value, (list, tuple)) and (
        len(value) > 12 or not all(isinstance(one, str) for one in value)
    ):
        return f"{len(value)}"
    return shown(", ".join(value) if isinstance(value, (list, tuple)) else told(value))


def _documents(update: Mapping[str, Any]) -> str:
    found = update.get("passages")
    if not found:
        return ""
    rows = [
        (linked(source, title), f"{count:,}")
        for documents in found.values()
        for source, title, count in documents
    ]
    return (
        table("Documents found", ("Document", "Passages"), rows, numbers="-n")
        if rows
        else "<p>Found nothing.</p>"
    )


def scored(span: StoredSpan, view: View) -> str:
    """The best passages of a query, those that became no evidence as well."""
    body = view.trace.body(span)
    kept = {(one.source, one.start, one.end): one.id for one in view.evidence_of[span.about]}
    rows = [
        (
            linked(source),
            f"{start:,}–{end:,}",
            f"{score:.3f}",
            jump("ev", kept[source, start, end]) if (source, start, end) in kept else "–",
        )
        for score, source, start, end in body.get("best", ())
    ]
    if not rows:
        return _error(span)
    took = duration(span.seconds)
    title = f"{isolated(span.about)}: the best of {counted(body['passages'], 'passage')}, scored in {took}"
    drawn = table("Passages", ("Source", "Characters", "Score", "Evidence"), rows, numbers="-nn-")
    return _error(span) + folded(title, drawn)


def links(spans: Sequence[StoredSpan]) -> str:
    """The questions and calls for something, by their numbers."""
    return ", ".join(f"{shown(one.name)} {to_span(one)}" for one in spans if one.kind in ("ask", "node"))
