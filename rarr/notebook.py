"""A revision as HTML for notebooks: a fragment with inline styles, no script, nothing loaded from elsewhere.

Every text in it is someone else's and is escaped. Colours are see-through, to suit light and dark pages.
"""

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from html import escape
from itertools import groupby
from typing import Literal, NamedTuple
from urllib.parse import urlsplit

from rarr.records import Edit, Notice, Revision, Sentence, Status

_LINES: dict[Status, str] = {
    "supported": "solid #2da44e",
    "contradicted": "solid #d1242f",
    "no_evidence": "dashed #bf8700",
    "retrieval_failed": "dotted #8250df",
    "unjudged": "dotted #8b949e",
}
_DELETED = "background:rgba(209,36,47,.2);text-decoration:line-through"
_INSERTED = "background:rgba(45,164,78,.25);text-decoration:none"


Kind = Literal["kept", "deleted", "inserted"]


class Segment(NamedTuple):
    """A run of characters that both texts have, or only the original, or only the revised one."""

    kind: Kind
    text: str


def segments(original: str, edits: Sequence[Edit]) -> list[Segment]:
    """What the accepted edits, one after the other, made of `original`, in text order.

    Kept and deleted segments together are the original text, kept and inserted ones the revised text.
    Between two kept ones there is at most one deleted, then at most one inserted.
    """
    pieces = [Segment("kept", original)]
    for edit in edits:
        if edit.accepted:
            before, rest = cut(pieces, edit.start)
            within, after = cut(rest, edit.end - edit.start)
            gone = [Segment("deleted", piece.text) for piece in within if piece.kind != "inserted"]
            pieces = [*before, *gone, Segment("inserted", edit.new), *after]
    return list(_merged(pieces))


def cut(pieces: Sequence[Segment], at: int) -> tuple[list[Segment], list[Segment]]:
    """Parts `pieces` after `at` characters of the revised text; what was deleted just there stays left."""
    left: list[Segment] = []
    for index, piece in enumerate(pieces):
        width = 0 if piece.kind == "deleted" else len(piece.text)
        if width > at:
            head = [Segment(piece.kind, piece.text[:at])] if at else []
            return left + head, [Segment(piece.kind, piece.text[at:]), *pieces[index + 1 :]]
        left.append(piece)
        at -= width
    return left, []


def _merged(pieces: Iterable[Segment]) -> Iterator[Segment]:
    filled = (piece for piece in pieces if piece.text)
    for kept, run in groupby(filled, lambda piece: piece.kind == "kept"):
        parts = list(run)
        kinds: tuple[Kind, ...] = ("kept",) if kept else ("deleted", "inserted")
        for kind in kinds:
            if text := "".join(piece.text for piece in parts if piece.kind == kind):
                yield Segment(kind, text)


def grouped(warnings: Iterable[Notice]) -> list[str]:
    """Each warning once, as `code: message`, with how often it came."""
    counts = Counter((notice.code, notice.message) for notice in warnings)
    return [
        f"{code}: {message}" + (f" ({count} times)" if count > 1 else "")
        for (code, message), count in counts.items()
    ]


def revision_html(revision: Revision) -> str:
    """The text with its edits in place and its sentences marked by status, then sources and warnings."""
    parts = [
        '<div style="line-height:1.6">',
        f'<div dir="auto" style="white-space:pre-wrap">{_text(revision)}</div>',
        _legend(revision.report.sentences),
        _list("Sources", _sources(revision)),
        _list("Warnings", [escape(line) for line in grouped(revision.warnings)]),
        "</div>",
    ]
    return "\n".join(part for part in parts if part)


def _text(revision: Revision) -> str:
    rest, at, html = segments(revision.original, revision.edits), 0, ""
    for sentence in sorted(revision.report.sentences, key=lambda one: one.start):
        start, end = max(sentence.start, at), max(sentence.end, at)
        outside, rest = cut(rest, start - at)
        inside, rest = cut(rest, end - start)
        while outside and outside[-1].kind == "deleted":  # the start of the sentence was replaced
            inside.insert(0, outside.pop())
        html += _marked(outside) + _sentence(sentence, _marked(inside))
        at = end
    return html + _marked(rest)


def _marked(pieces: Iterable[Segment]) -> str:
    tags = {"kept": "{}", "deleted": f'<del style="{_DELETED}">{{}}</del>'}
    tags["inserted"] = f'<ins style="{_INSERTED}">{{}}</ins>'
    return "".join(tags[piece.kind].format(escape(piece.text)) for piece in pieces if piece.text)


def _sentence(sentence: Sentence, html: str) -> str:
    support = "" if sentence.support is None else f", support {sentence.support:.2f}"
    title = f"{_words(sentence.status)}{support}"
    return f'<span title="{title}" style="border-bottom:2px {_LINES[sentence.status]}">{html}</span>'


def _legend(sentences: Iterable[Sentence]) -> str:
    counts = Counter(sentence.status for sentence in sentences)
    marks = (
        f'<span style="border-bottom:2px {line}">{_words(status)}</span>: {counts[status]}'
        for status, line in _LINES.items()
        if counts[status]
    )
    return f'<p style="opacity:.8">{" &#160; ".join(marks)}</p>' if counts else ""


def _sources(revision: Revision) -> list[str]:
    """Each source of the report and of the accepted edits once, with its title, linked where it can be."""
    used = {*revision.report.evidence_ids, *(edit.evidence_id for edit in revision.edits if edit.accepted)}
    used.update(one for sentence in revision.report.sentences for one in sentence.evidence_ids)
    titles = {one.source: one.title for one in revision.evidence if one.id in used}
    return [_source(source, title) for source, title in titles.items()]


def _source(source: str, title: str) -> str:
    shown = f"<bdi>{escape(title or source)}</bdi>"
    if _is_web(source):
        return f'<a href="{escape(source)}" rel="noopener noreferrer">{shown}</a>'
    return f"{shown} <bdi>({escape(source)})</bdi>" if title else shown


def _is_web(source: str) -> bool:
    try:
        return urlsplit(source).scheme in {"http", "https"}
    except ValueError:  # "http://[": no address, whatever it looks like
        return False


def _list(heading: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    entries = "".join(f"<li>{item}</li>" for item in items)
    return f"<details open><summary>{heading}: {len(items)}</summary><ul>{entries}</ul></details>"


def _words(status: Status) -> str:
    return status.replace("_", " ")
