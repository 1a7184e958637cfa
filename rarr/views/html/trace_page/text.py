"""The text with its edits in place and what supports each sentence, and the edits with their reasons."""

from collections import Counter
from collections.abc import Iterable

from rarr.records import Edit, Sentence
from rarr.tools.text.diff import Piece, by_sentence, traced
from rarr.tools.text.markup import isolated, paragraph, shown
from rarr.views.html.trace_page.pieces import MARKS, anchor, chip, clipped, jump, source, to_span, words
from rarr.views.html.trace_page.view import View

QUOTED = 600
"""Characters of evidence that a sentence shows; all of it stands with its query."""


def text(view: View) -> str:
    """What was kept, deleted and inserted, sentence by sentence."""
    refused = {edit.id: edit for edit in view.edits if not edit.accepted}
    number, html = 0, ""
    for sentence, pieces in by_sentence(traced(view.original, view.edits), view.sentences):
        drawn = _drawn(pieces, refused)
        if sentence:
            number += 1
            drawn = _sentence(number, sentence, drawn, view)
        html += drawn
    return f'<div class="text marked" dir="auto">{html}</div>{_legend(view)}'


def _drawn(pieces: Iterable[Piece], refused: dict[str, Edit]) -> str:
    return "".join(_piece(piece, refused) for piece in pieces)


def _piece(piece: Piece, refused: dict[str, Edit]) -> str:
    if piece.edit in refused:
        return _refused(refused[piece.edit])
    if not piece.text:
        return ""
    if piece.kind == "kept":
        return shown(piece.text)
    tag = "del" if piece.kind == "deleted" else "ins"
    return f'<a class="edit" href="#{anchor("edit", piece.edit)}"><{tag}>{shown(piece.text)}</{tag}></a>'


def _refused(edit: Edit) -> str:
    said = f"refused: {edit.old!r} to {edit.new!r}: {edit.reason}"
    return (
        f'<a class="refused" href="#{anchor("edit", edit.id)}" title="{shown(said)}">⊘ {shown(edit.id)}</a>'
    )


def _sentence(number: int, sentence: Sentence, drawn: str, view: View) -> str:
    status = sentence.status
    label = f"Sentence {number}: {status.replace('_', ' ')}"
    return (
        f'<span class="s {status}" id="sentence-{number}" tabindex="0" role="group" aria-label="{label}"'
        f' aria-describedby="card-{number}">{drawn}<sup aria-hidden="true">{MARKS[status]}</sup>'
        f'<span class="card" id="card-{number}" role="tooltip">{_card(number, sentence, view)}</span></span>'
    )


def _card(number: int, sentence: Sentence, view: View) -> str:
    support = "" if sentence.support is None else f"{sentence.support:.2f}"
    queries = [jump("q", name) for name, places in view.sentences_of.items() if number in places]
    about = words([f"sentence {number}", *queries])
    head = f'{chip(sentence.status, support)} <span class="facts">{about}</span>'
    known = [view.found[name] for name in sentence.evidence_ids if name in view.found]
    quotes = "".join(
        f'<span class="quote"><span>{jump("ev", one.id)} {source(one)}</span>'
        f'<span class="said" dir="auto">{shown(clipped(one.text, QUOTED))}</span></span>'
        for one in known
    )
    return head + _open(sentence) + (quotes or f'<span class="facts"> {_without(sentence)}</span>')


def _without(sentence: Sentence) -> str:
    if sentence.status == "unconfirmed":
        return "Passages are about it, and none confirms it."
    return "No evidence speaks for or against it."


def _open(sentence: Sentence) -> str:
    """The words of an unconfirmed sentence that no passage confirms."""
    if sentence.status != "unconfirmed" or not sentence.open_words:
        return ""
    said = ", ".join(f"<b>{shown(one)}</b>" for one in sentence.open_words)
    return f'<span class="quote" dir="auto">not confirmed: {said}</span>'


def _legend(view: View) -> str:
    counts: Counter[str] = Counter(sentence.status for sentence in view.sentences)
    if not counts:
        return paragraph('<span class="facts">No sentence was judged.</span>')
    chips = " ".join(chip(status, f"{counts[status]}") for status in MARKS if counts[status])
    return f'<p class="legend">{chips} <span class="facts">Sentences, by what was found for them.</span></p>'


def edits(view: View) -> str:
    """What was to be changed, and why it was or was not."""
    if not view.edits:
        return paragraph("No edit was proposed.")
    return f'<ol class="edits">{"".join(_edit(edit, view) for edit in view.edits)}</ol>'


def _edit(edit: Edit, view: View) -> str:
    verdict = "accepted" if edit.accepted else "refused"
    asked = [to_span(one) for one in view.about[edit.query_id] if one.kind == "ask" and one.name == "edit"]
    evidence = view.found.get(edit.evidence_id)
    links = words(
        [
            f"query {jump('q', edit.query_id)}",
            f"evidence {jump('ev', edit.evidence_id)}" if evidence else "",
            f"asked in {', '.join(asked)}" if asked else "",
            *(f"sentence {jump('sentence', n)}" for n in view.sentences_of.get(edit.query_id, [])),
        ]
    )
    parts = [
        f"<p>{chip(verdict)} <b>{isolated(edit.id)}</b> {_change(edit)}</p>",
        f'<p dir="auto">{shown(edit.reason)}</p>' if edit.reason else "",
        f'<p class="facts">{links}</p>',
    ]
    name, error = anchor("edit", edit.id), "" if edit.accepted else ' data-verdict="refused"'
    return f'<li class="entry" id="{name}" tabindex="-1" data-node="edit"{error}>{"".join(parts)}</li>'


def _change(edit: Edit) -> str:
    old = f"<del>{shown(edit.old)}</del>" if edit.old else "(nothing)"
    new = f"<ins>{shown(edit.new)}</ins>" if edit.new else "(nothing)"
    return f'<span dir="auto">{old} → {new}</span>'


def context(view: View) -> str:
    """The question or turns that the text answers, where they were given."""
    given = view.trace.file.facts.context
    return f'<h3>Context</h3><div class="text" dir="auto">{shown(given)}</div>' if given else ""
