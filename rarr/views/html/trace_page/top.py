"""What a reader wants to know first: what became of the run, what it cost, and what went wrong."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime

from rarr.tools.text.markup import isolated, number, shown
from rarr.tools.text.notices import grouped
from rarr.tools.text.nouns import counted
from rarr.traces.file import StoredSpan
from rarr.views.html.trace_page.pieces import chip, duration, jump, money, to_span
from rarr.views.html.trace_page.view import View

_MOST = 8  # links to what failed in one way
_STATUS = {
    "done": "supported",
    "failed": "contradicted",
    "running": "no_evidence",
    "cut short": "contradicted",
}


def head(view: View) -> str:
    """The run's name, state and figures."""
    file = view.trace.file
    started = datetime.fromtimestamp(file.started, UTC)
    state = f'<span class="chip {_STATUS[file.status]}">{file.status}</span>'
    facts = f"{started:%Y-%m-%d %H:%M:%S} UTC · trace of rarr {shown(file.facts.version)}"
    tiles = "".join(
        f"<div><dt>{name}</dt><dd>{value}</dd></div>" for name, value in _tiles(view).items() if value
    )
    return (
        f"<header><h1>{state} Run {isolated(file.run_id[:12])}</h1>"
        f'<p class="facts">{facts}</p>{_end(view)}<dl class="tiles">{tiles}</dl></header>'
    )


def _end(view: View) -> str:
    """Why the run has no revision."""
    file = view.trace.file
    if file.error:
        return f'<p class="wrong">It failed: {isolated(file.error)}</p>'
    if file.status in ("running", "cut short"):
        where = " › ".join(_named(one, view) for one in view.open_spans)
        latest = max(view.spans, key=lambda one: one.started, default=None)
        after = f"after {_named(latest, view)}" if latest else "before its first step"
        stands = "It stands" if file.status == "running" else "It stopped"
        return f'<p class="wrong">{stands} {f"in {where}" if where else after}.</p>'
    return ""


def _named(span: StoredSpan, view: View) -> str:
    kind = {"ask": "the question ", "request": "an attempt at ", "score": "scoring by "}.get(span.kind, "")
    place = to_span(span if span.kind in ("node", "ask") else view.by_number.get(span.parent, span))
    return f"{kind}{isolated(span.name)} {place}"


def _tiles(view: View) -> dict[str, str]:
    revision, scores = view.trace.revision, view.scores
    accepted = Counter(edit.accepted for edit in view.edits)
    good = sum(one.status == "supported" for one in view.sentences)
    moved = f"{number(scores.attribution_before)} → {number(scores.attribution_after)}"
    figures = {
        "Edits": f"{accepted[True]} accepted, {accepted[False]} refused",
        "Sentences": f"{good} of {len(view.sentences)} supported" if view.sentences else "",
        "Attribution": "" if scores.attribution_after is None else moved,
        "Preservation": "" if scores.preservation is None else number(scores.preservation),
        "F1_AP": "" if scores.f1_ap is None else number(scores.f1_ap),
        "Intent": "" if scores.intent is None else "kept" if scores.intent else "lost",
        "Time": duration(view.trace.file.seconds if view.trace.file.seconds is not None else view.seconds),
        "Queries": f"{len(view.queries)}, with {counted(len(view.evidence), 'passage')}",
    }
    if revision:
        usage = revision.usage
        figures["Model calls"] = f"{usage.model_calls:,}"
        figures["Tokens"] = f"{usage.input_tokens:,} in, {usage.output_tokens:,} out"
        figures["Cost"] = money(usage.cost)
    else:
        figures["Model calls"] = f"{sum(one.kind == 'request' and bool(one.body) for one in view.spans):,}"
    return figures


def problems(view: View) -> str:
    """What failed, with where, and what the run warned of."""
    lines = [*_failed(view), *_warned(view)]
    if not lines:
        return "<p>Nothing failed, and there are no warnings.</p>"
    return f'<ul class="problems">{"".join(f"<li>{line}</li>" for line in lines)}</ul>'


def _failed(view: View) -> list[str]:
    """Errors of spans, those that say the same together."""
    alike: dict[tuple[str, str, str], list[StoredSpan]] = defaultdict(list)
    for one in view.spans:
        if one.error:
            alike[one.kind, one.name, one.error].append(one)
    return [_error(spans, view) for spans in alike.values()]


def _error(spans: Sequence[StoredSpan], view: View) -> str:
    one = spans[0]
    kinds = {
        "block": "a block",
        "node": "a call",
        "ask": "a question",
        "request": "an attempt",
        "score": "a scoring",
    }
    times = (
        kinds.get(one.kind, one.kind)
        if len(spans) == 1
        else f"{len(spans)} of {kinds.get(one.kind, one.kind).split()[1]}"
    )
    places = {
        (
            one if one.kind in ("block", "node", "ask", "failure") else view.by_number.get(one.parent, one)
        ).number
        for one in spans
    }
    linked = ", ".join(jump("s", place, f"#{place}") for place in sorted(places)[:_MOST])
    said = f"<b>{shown(one.name)}</b>, {times}: {isolated(one.error)}"
    return f'{chip("error")} {said} <span class="facts">{linked}</span>'


def _warned(view: View) -> list[str]:
    return [f'<span class="warn">Warning</span> {shown(line)}' for line in grouped(view.warnings)]
