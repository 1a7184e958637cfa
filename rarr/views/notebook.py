"""A revision as HTML for notebooks: a fragment with inline styles, no script, nothing loaded from elsewhere.

Every text in it is someone else's and is escaped. Colours are see-through, to suit light and dark pages.
"""

from collections import Counter
from collections.abc import Iterable, Sequence

from rarr.records import Revision, Sentence, Status
from rarr.tools.text.diff import Segment, by_sentence, merged, traced
from rarr.tools.text.markup import linked, shown
from rarr.tools.text.notices import grouped

_LINES: dict[Status, str] = {
    "supported": "solid #2da44e",
    "contradicted": "solid #d1242f",
    "unconfirmed": "double #1b7c83",
    "no_evidence": "dashed #bf8700",
    "retrieval_failed": "dotted #8250df",
    "unjudged": "dotted #8b949e",
}
_DELETED = "background:rgba(209,36,47,.2);text-decoration:line-through"
_INSERTED = "background:rgba(45,164,78,.25);text-decoration:none"


def revision_html(revision: Revision) -> str:
    """The text with its edits in place and its sentences marked by status, then sources and warnings."""
    parts = [
        '<div style="line-height:1.6">',
        f'<div dir="auto" style="white-space:pre-wrap">{_text(revision)}</div>',
        _legend(revision.report.sentences),
        _list("Sources", _sources(revision)),
        _list("Warnings", [shown(line) for line in grouped(revision.warnings)]),
        "</div>",
    ]
    return "\n".join(part for part in parts if part)


def _text(revision: Revision) -> str:
    pieces = traced(revision.original, revision.edits)
    return "".join(
        _sentence(sentence, _marked(merged(run))) if sentence else _marked(merged(run))
        for sentence, run in by_sentence(pieces, revision.report.sentences)
    )


def _marked(pieces: Iterable[Segment]) -> str:
    tags = {"kept": "{}", "deleted": f'<del style="{_DELETED}">{{}}</del>'}
    tags["inserted"] = f'<ins style="{_INSERTED}">{{}}</ins>'
    return "".join(tags[piece.kind].format(shown(piece.text)) for piece in pieces)


def _sentence(sentence: Sentence, html: str) -> str:
    support = "" if sentence.support is None else f", support {sentence.support:.2f}"
    waiting = f"; not confirmed: {', '.join(sentence.open_words)}" if sentence.open_words else ""
    open_words = waiting if sentence.status == "unconfirmed" else ""
    title = shown(f"{_words(sentence.status)}{support}{open_words}")
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
    return [linked(source, title) for source, title in titles.items()]


def _list(heading: str, items: Sequence[str]) -> str:
    if not items:
        return ""
    entries = "".join(f"<li>{item}</li>" for item in items)
    return f"<details open><summary>{heading}: {len(items)}</summary><ul>{entries}</ul></details>"


def _words(status: Status) -> str:
    return status.replace("_", " ")
