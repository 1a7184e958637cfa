"""What was asked of the sources, what they said, and what came of it."""

from rarr.records import Check, Evidence, Query
from rarr.tools.text.markup import isolated, paragraph, shown
from rarr.views.html.trace_page.calls import links, scored
from rarr.views.html.trace_page.pieces import anchor, chip, jump, row, source, words
from rarr.views.html.trace_page.view import View


def queries(view: View) -> str:
    """Each query with its evidence, checks and edits."""
    if not view.queries:
        return paragraph("Nothing was asked.")
    return "".join(_query(query, view) for query in view.queries)


def _query(query: Query, view: View) -> str:
    evidence = view.evidence_of[query.id]
    verdicts = list(dict.fromkeys(view.verdicts(evidence)))
    edits = [edit for edit in view.edits if edit.query_id == query.id]
    failed = [one for one in view.warnings if one.query_id == query.id]
    changed = " ".join(chip("accepted" if edit.accepted else "refused", edit.id) for edit in edits)
    count = "" if evidence else '<span class="facts">no evidence</span>'
    chips = " ".join([*map(chip, verdicts), changed, count])
    what = f'<b>{isolated(query.id)}</b> <span dir="auto">{shown(query.text)}</span>'
    head = f'<span class="what">{what}</span> <span>{chips}</span>'
    data = {
        "node": " ".join(_nodes(query, view)),
        "verdict": " ".join([*verdicts, *("refused" for edit in edits if not edit.accepted)]),
        "error": "1" if failed else "",
    }
    return row(anchor("q", query.id), head, _body(query, view), data=data, kind="trail")


def _nodes(query: Query, view: View) -> list[str]:
    """The nodes that something was done for it in."""
    names = (query.id, *(one.id for one in view.evidence_of[query.id]))
    return list(dict.fromkeys(view.node_of(one) for name in names for one in view.about[name]))


def _body(query: Query, view: View) -> str:
    edits = [edit for edit in view.edits if edit.query_id == query.id]
    spans = view.about[query.id]
    facts = words(
        [
            f"about “<bdi>{shown(view.original[query.start : query.end])}</bdi>”",
            *(f"sentence {jump('sentence', n)}" for n in view.sentences_of[query.id]),
            *(f"edit {jump('edit', edit.id)}" for edit in edits),
            f"round {query.round}" if query.round > 1 else "",
            f"follows {jump('edit', query.follows)}" if query.follows else "",
            links(spans),
        ]
    )
    said = "".join(
        f"<p>{shown(one.code)}: {isolated(one.message)}</p>"
        for one in view.warnings
        if one.query_id == query.id
    )
    found = "".join(_evidence(one, view) for one in view.evidence_of[query.id])
    best = "".join(scored(one, view) for one in spans if one.kind == "score")
    return f'<p class="facts">{facts}</p>{said}{found}{best}'


def _evidence(one: Evidence, view: View) -> str:
    doubt = f"<p>{chip('refused', 'as suspicious')} {shown(one.suspicious)}</p>" if one.suspicious else ""
    asked = f'<p class="facts">{links(spans)}</p>' if (spans := view.about[one.id]) else ""
    checks = "".join(_check(check) for check in view.checks_of[one.id])
    return (
        f'<div class="evidence" id="{anchor("ev", one.id)}"><p><b>{isolated(one.id)}</b> {source(one)}</p>'
        f'{doubt}<blockquote dir="auto">{shown(one.text)}</blockquote>{checks}'
        f"{asked}</div>"
    )


def _check(check: Check) -> str:
    sides = {"text": check.text_answer, "evidence": check.evidence_answer}
    confidence = "" if check.confidence is None else f"confidence {check.confidence:.2f}"
    parts = [
        ", ".join(f"{side} “<bdi>{shown(said)}</bdi>”" for side, said in sides.items() if said),
        f'<span dir="auto">{shown(check.reason)}</span>' if check.reason else "",
        confidence,
        "the sentence was edited afterwards" if check.stale else "",
    ]
    return f'<p class="check{" stale" if check.stale else ""}">{chip(check.verdict)} {words(parts)}</p>'
