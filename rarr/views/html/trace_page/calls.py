"""What one call of a node, or one question to a model, saw and wrote, as plain values."""

import json
from collections.abc import Mapping, Sequence
from typing import Any, NamedTuple, get_args

from rarr.records import Verdict
from rarr.tools.pages.rendering import duration
from rarr.tools.text.nouns import counted
from rarr.traces.file import StoredSpan
from rarr.views.html.trace_page.view import View

_VERDICTS = get_args(Verdict)
_SHOWN_APART = ("passages", "text", "report", "scores")


class Outcome(NamedTuple):
    """What the answers of a question say: a verdict, or what was to be replaced by what, or how many."""

    verdict: str = ""
    old: str = ""
    new: str = ""
    answers: int = 0


def outcome(body: Mapping[str, Any]) -> Outcome:
    """The outcome of a question, from its body."""
    answers = body.get("answers") or []
    first = answers[0] if answers else {}
    if (verdict := first.get("verdict")) in _VERDICTS:
        return Outcome(verdict=str(verdict))
    if "span" in first and "revision" in first:
        return Outcome(old=str(first["span"])[:60], new=str(first["revision"])[:60])
    return Outcome(answers=len(answers))


def told(value: Any) -> str:
    """A plain value as text: JSON where it has parts."""
    if isinstance(value, str):
        return value
    return json.dumps(
        dict(value) if isinstance(value, Mapping) else value, ensure_ascii=False, indent=1, default=str
    )


def money(cost: float | None) -> str:
    """A cost in the unit of the prices."""
    return "not known" if cost is None else f"{cost:.6g}"


def asked_for(body: Mapping[str, Any], sent: Sequence[Mapping[str, Any]]) -> str:
    """The temperature, and how many answers and tokens were allowed."""
    parts = [f"temperature {body['temperature']:g}"] if body else []
    limits = [key for key in ("samples", "max_tokens") if sent and key in sent[0]]
    return " · ".join(parts + [f"{key.replace('_', ' ')} {sent[0][key]:,}" for key in limits])


def tokens(sent: Sequence[Mapping[str, Any]]) -> str:
    """The tokens of requests, summed."""
    counts = [one["tokens"] for one in sent if "tokens" in one]
    total = [sum(column) for column in zip(*counts, strict=True)]
    names = ("in", "out", "of these cached")
    return ", ".join(f"{count:,} {name}" for count, name in zip(total, names, strict=False) if count)


def cost(sent: Sequence[Mapping[str, Any]]) -> str:
    """What each request cost."""
    return " + ".join(money(one["cost"]) for one in sent if "cost" in one)


def time(span: StoredSpan, requests: Sequence[StoredSpan]) -> str:
    """How long a question took, and how much of it was waiting for its turn."""
    took = duration(span.seconds)
    if not requests:
        return f"{took} · never sent"
    wait = requests[0].started - span.started
    return f"{took} · waited {duration(wait)} for its turn" if wait > 0.001 else took


def written(update: Mapping[str, Any]) -> dict[str, list[tuple[str, str]]]:
    """The keys of the state that a node wrote, each with lines of a code and words: how many, or what."""
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
        if all(hasattr(one, "message") for one in value):
            return [(one.code, one.message) for one in value]
        if len(value) > 12 or not all(isinstance(one, str) for one in value):
            return [("", f"{len(value)}")]
        return [("", ", ".join(value))]
    return [("", told(value))]


def kept(span: StoredSpan, view: View) -> dict[tuple[str, int, int], str]:
    """The evidence of the query that a scoring is about, by its place in its source."""
    return {(one.source, one.start, one.end): one.id for one in view.evidence_of[span.about]}
