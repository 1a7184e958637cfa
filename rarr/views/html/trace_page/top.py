"""What a reader wants to know first: the figures of a run, and what went wrong."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple, get_args

from rarr.records import EditState
from rarr.tools.pages.rendering import duration, number
from rarr.tools.text.notices import grouped
from rarr.tools.text.nouns import counted
from rarr.traces.file import StoredSpan
from rarr.views.html.trace_page.calls import money
from rarr.views.html.trace_page.view import View

_MOST = 8  # links to what failed in one way
_KINDS = {"node": "call", "ask": "question", "request": "attempt", "score": "scoring", "read": "reading"}


class Failure(NamedTuple):
    """Spans that failed in one way: the name and the error they share, how many, and where to look."""

    name: str
    times: str
    error: str
    places: list[StoredSpan]


def started(view: View) -> datetime:
    """When the run began."""
    return datetime.fromtimestamp(view.trace.file.started, UTC)


def figures(view: View) -> dict[str, str]:
    """The figures of a run by their names; those that it lacks are empty."""
    revision, scores = view.trace.revision, view.scores
    edits = Counter(edit.state for edit in view.edits)
    good = sum(one.status == "supported" for one in view.sentences)
    moved = f"{number(scores.attribution_before)} → {number(scores.attribution_after)}"
    figures = {
        "Edits": ", ".join(
            f"{edits[one]} {one}" for one in get_args(EditState) if edits[one] or one != "suggested"
        ),
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


def warnings(view: View) -> list[str]:
    """What the run warned of, each once."""
    return grouped(view.warnings)


def failures(view: View) -> list[Failure]:
    """Errors of spans, those that say the same together."""
    alike: dict[tuple[str, str, str], list[StoredSpan]] = defaultdict(list)
    for one in view.spans:
        if one.error:
            alike[one.kind, one.name, one.error].append(one)
    return [_failure(spans, view) for spans in alike.values()]


def _failure(spans: Sequence[StoredSpan], view: View) -> Failure:
    one = spans[0]
    kind = _KINDS.get(one.kind, one.kind)
    article = "an" if kind[0] in "aeiou" else "a"
    times = f"{article} {kind}" if len(spans) == 1 else f"{len(spans)} of {kind}"
    places = {place.number: place for place in map(view.linkable, spans)}
    return Failure(one.name, times, one.error, [places[number] for number in sorted(places)[:_MOST]])
