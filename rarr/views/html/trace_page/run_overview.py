"""Collects what the top of the page shows: the figures of a run, its failures and its warnings."""

from collections import Counter, defaultdict
from collections.abc import Sequence
from datetime import UTC, datetime
from typing import NamedTuple, get_args

from rarr.records import EditState
from rarr.tools.pages.html_rendering import duration, number
from rarr.tools.text.plurals_and_articles import counted
from rarr.tools.text.warning_lines import grouped
from rarr.traces.trace_file import StoredSpan
from rarr.views.html.trace_page.call_formatting import money
from rarr.views.html.trace_page.page_data import View

_MOST = 8  # links to spans that failed in the same way
_KINDS = {"node": "call", "ask": "question", "request": "attempt", "score": "scoring", "read": "reading"}


class Failure(NamedTuple):
    """Spans that failed in the same way: name, number in words, error, and the first spans to look at."""

    name: str
    times: str
    error: str
    places: list[StoredSpan]


def started(view: View) -> datetime:
    """Returns when the run began, in UTC."""
    return datetime.fromtimestamp(view.trace.file.started, UTC)


def figures(view: View) -> dict[str, str]:
    """Formats the figures of a run, such as edits, scores and cost, by name. A missing figure is ""."""
    revision, scores = view.trace.revision, view.scores
    edits = Counter(edit.state for edit in view.edits)
    good = sum(sentence.status == "supported" for sentence in view.sentences)
    moved = f"{number(scores.attribution_before)} → {number(scores.attribution_after)}"
    figures = {
        "Edits": ", ".join(
            f"{edits[state]} {state}" for state in get_args(EditState) if edits[state] or state != "suggested"
        ),
        "Sentences": f"{good} of {len(view.sentences)} supported" if view.sentences else "",
        "Attribution": "" if scores.attribution_after is None else moved,
        "Preservation": "" if scores.preservation is None else number(scores.preservation),
        "F1_AP": "" if scores.f1_ap is None else number(scores.f1_ap),
        "Time": duration(view.trace.file.seconds if view.trace.file.seconds is not None else view.seconds),
        "Queries": f"{len(view.queries)}, with {counted(len(view.evidence), 'passage')}",
    }
    if revision:
        usage = revision.usage
        saved = f", {usage.saved_calls:,} saved" if usage.saved_calls else ""
        figures["Model calls"] = f"{usage.model_calls:,}{saved}"
        figures["Tokens"] = f"{usage.input_tokens:,} in, {usage.output_tokens:,} out"
        figures["Cost"] = money(usage.cost)
    else:
        figures["Model calls"] = f"{sum(span.kind == 'request' and bool(span.body) for span in view.spans):,}"
    return figures


def warnings(view: View) -> list[str]:
    """Returns the warnings of the run, each once."""
    return grouped(view.warnings)


def failures(view: View) -> list[Failure]:
    """Collects the failed spans. Spans of the same kind and name with the same error are one failure."""
    alike: dict[tuple[str, str, str], list[StoredSpan]] = defaultdict(list)
    for span in view.spans:
        if span.error:
            alike[span.kind, span.name, span.error].append(span)
    return [_failure(spans, view) for spans in alike.values()]


def _failure(spans: Sequence[StoredSpan], view: View) -> Failure:
    first = spans[0]
    kind = _KINDS.get(first.kind, first.kind)
    article = "an" if kind[0] in "aeiou" else "a"
    times = f"{article} {kind}" if len(spans) == 1 else f"{len(spans)} of {kind}"
    places = {place.number: place for place in map(view.linkable, spans)}
    return Failure(first.name, times, first.error, [places[number] for number in sorted(places)[:_MOST]])
