"""Small pieces of markup that several parts of the page of a run have."""

import json
import re
from collections.abc import Iterable, Mapping
from typing import Any

from rarr.records import Evidence
from rarr.tools.text.markup import isolated, linked, shown
from rarr.traces.file import StoredSpan

MARKS = {
    "supported": "✓",
    "contradicted": "✗",
    "unconfirmed": "~",
    "no_evidence": "?",
    "retrieval_failed": "⚠",
    "unjudged": "–",
}
_LIKE = {
    "agrees": "supported",
    "disagrees": "contradicted",
    "irrelevant": "unjudged",
    "unknown": "no_evidence",
}
_LIKE |= {
    "accepted": "supported",
    "refused": "contradicted",
    "error": "contradicted",
    "not ended": "no_evidence",
}


def anchor(kind: str, name: str | int) -> str:
    """The id of an element; a file that was handed on may call its records anything."""
    return f"{kind}-" + re.sub(r"[^A-Za-z0-9.-]", lambda match: f"_{ord(match[0]):x}_", str(name))


def jump(kind: str, name: str | int, words: str = "") -> str:
    """A link within the page; `words` is markup."""
    return f'<a href="#{anchor(kind, name)}">{words or isolated(str(name))}</a>'


def to_span(span: StoredSpan) -> str:
    """A link to a call or question, by its number."""
    return jump("s", span.number, f"#{span.number}")


def chip(word: str, more: str = "") -> str:
    """A status or verdict in its colour, with a mark for who sees no colours."""
    like = _LIKE.get(word, word)
    style = like if like in MARKS else "unjudged"
    words = " ".join(filter(None, (word.replace("_", " "), more)))
    return f'<span class="chip {style}"><span aria-hidden="true">{MARKS[style]}</span> {shown(words)}</span>'


def duration(seconds: float | None) -> str:
    """A time with its unit."""
    if seconds is None:
        return "not ended"
    if seconds < 0.0995:
        return f"{seconds * 1000:.{0 if seconds >= 0.00995 else 1}f} ms"
    return f"{seconds:.2f} s" if seconds < 60 else f"{seconds / 60:.1f} min"


def money(cost: float | None) -> str:
    """A cost in the unit of the prices."""
    return "not known" if cost is None else f"{cost:.6g}"


def pre(text: str) -> str:
    """A text as it is, of which lines may be too long."""
    return f'<pre dir="auto" tabindex="0">{shown(text)}</pre>'


def told(value: Any) -> str:
    """A plain value as text: JSON where it has parts."""
    return value if isinstance(value, str) else json.dumps(value, ensure_ascii=False, indent=1, default=str)


def pairs(facts: Mapping[str, str]) -> str:
    """Names with their markup; what is empty is left out."""
    items = "".join(f"<div><dt>{name}</dt><dd>{html}</dd></div>" for name, html in facts.items() if html)
    return f"<dl>{items}</dl>" if items else ""


def fields(answer: Mapping[str, Any]) -> str:
    """An answer by its fields, where it has any."""
    short = {shown(name): f'<span dir="auto">{shown(told(value))}</span>' for name, value in answer.items()}
    return pairs(short) or pre("{}")


def source(one: Evidence) -> str:
    """Where evidence stands, with its dates."""
    dated = f" · published {one.published_at:%Y-%m-%d}" if one.published_at else ""
    place = f"characters {one.start:,}–{one.end:,} · relevance {one.relevance:.2f}{dated}"
    return f'{linked(one.source, one.title)} <span class="facts">{place}</span>'


def row(name: str, head: str, body: str, *, data: Mapping[str, str], kind: str) -> str:
    """What can be found, moved to and opened. The browser opens it for a link that leads into it."""
    said = "".join(f' data-{key}="{shown(value)}"' for key, value in data.items() if value)
    return (
        f'<details class="entry {kind}"{said}><summary>{head}</summary>\n'
        f'<div class="body" id="{name}">{body}</div></details>'
    )


def clipped(text: str, most: int) -> str:
    """Its beginning, where it is longer than that."""
    return text if len(text) <= most else f"{text[:most]} …"


def words(items: Iterable[str]) -> str:
    """Parts of a line, with dots between them."""
    return " · ".join(item for item in items if item)
