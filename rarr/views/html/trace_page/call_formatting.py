"""Formats the input and output of a node's call or a question to a model, for the templates of the page."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from rarr.records import Verdict
from rarr.tools.pages.html_rendering import duration
from rarr.tools.text.plurals_and_articles import counted
from rarr.traces.trace_file import StoredSpan
from rarr.views.html.trace_page.page_data import View

_VERDICTS = get_args(Verdict)
_SHOWN_APART = ("passages", "text", "report", "scores")


class AnswerSummary(NamedTuple):
    """The answers of a question in short: a verdict, or old and new words, or how many answers there are."""

    verdict: str = ""
    old: str = ""
    new: str = ""
    answers: int = 0


def summary(body: Mapping[str, Any]) -> AnswerSummary:
    """Shortens the answers in the body of a question: the first verdict, else an edit, else their number."""
    answers = body.get("answers") or []
    first = answers[0] if answers and isinstance(answers[0], Mapping) else {}
    if (verdict := first.get("verdict")) in _VERDICTS:
        return AnswerSummary(verdict=str(verdict))
    if "span" in first and "revision" in first:
        return AnswerSummary(old=str(first["span"])[:60], new=str(first["revision"])[:60])
    return AnswerSummary(answers=len(answers))


def plain_text(value: Any) -> str:
    """Writes a plain value as text: a string as it is, other values as JSON."""
    if isinstance(value, str):
        return value
    return json.dumps(
        dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False, indent=1, default=str
    )


def money(cost: float | None) -> str:
    """Writes a cost as text, in the unit of the prices; None as "not known"."""
    return "not known" if cost is None else f"{cost:.6g}"


def asked_for(body: Mapping[str, Any], sent: Sequence[Mapping[str, Any]]) -> str:
    """Formats the temperature, and the numbers of answers and tokens that the first request allowed."""
    parts = [f"temperature {body['temperature']:g}"] if body else []
    limits = [key for key in ("samples", "max_tokens") if sent and key in sent[0]]
    return " · ".join(parts + [f"{key.replace('_', ' ')} {sent[0][key]:,}" for key in limits])


def tokens(sent: Sequence[Mapping[str, Any]]) -> str:
    """Formats the sums of the tokens of all requests: in, out and cached."""
    counts = [body["tokens"] for body in sent if "tokens" in body]
    total = [sum(column) for column in zip(*counts, strict=True)]
    names = ("in", "out", "of these cached")
    return ", ".join(f"{count:,} {name}" for count, name in zip(total, names, strict=False) if count)


def cost(sent: Sequence[Mapping[str, Any]]) -> str:
    """Formats the cost of each request, joined with +."""
    return " + ".join(money(body["cost"]) for body in sent if "cost" in body)


def time(span: StoredSpan, requests: Sequence[StoredSpan]) -> str:
    """Tells how long a question took, and how long it waited for its turn or that it was not sent."""
    took = duration(span.seconds)
    if span.body.get("saved"):
        return f"{took} · a saved reading, not asked"
    if not requests:
        return f"{took} · never sent"
    wait = requests[0].started - span.started
    return f"{took} · waited {duration(wait)} for its turn" if wait > 0.001 else took


def written(update: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """Lists the keys of the state that a node wrote, each with lines of (code, words).

    The words are the values, or the number of a list's values. The code is that of a warning, else "".
    """
    wrote = {name: value for name, value in update.items() if name not in _SHOWN_APART}
    lines = {name: _lines(value) for name, value in wrote.items() if value not in ([], {}, None)}
    if "text" in update:
        lines["text"] = [("", "changed")]
    if (report := update.get("report")) is not None:
        lines["report"] = [
            ("", f"{counted(len(report.sentences), 'sentence')}, coverage {report.coverage:.2f}")
        ]
    if (scores := update.get("scores")) is not None:
        lines["scores"] = [("", ", ".join(f"{k} {v:.2f}" for k, v in scores if v is not None))]
    return lines


def _lines(value: Any) -> list[tuple[str, str]]:
    if isinstance(value, (list, tuple)):
        if all(hasattr(notice, "message") for notice in value):
            return [(notice.code, notice.message) for notice in value]
        if len(value) > 12 or not all(isinstance(item, str) for item in value):
            return [("", f"{len(value)}")]
        return [("", ", ".join(value))]
    return [("", plain_text(value))]


def kept(span: StoredSpan, view: View) -> dict[tuple[str, int, int], str]:
    """Maps the place (source, start, end) of each passage that became evidence to the id of the evidence.

    These are the passages of the query that the scoring `span` is about.
    """
    return {
        (passage.source, passage.start, passage.end): passage.id for passage in view.evidence_of[span.about]
    }
