"""Finds the spans that determined how long a run took.

Supersteps follow one another, so in each superstep the branch that ended last counts. Within a span, the
inner span that ended last counts. It may have waited for the last span that ended before it began, so that
span counts as well. The same holds for the blocks of a long text.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import inf

from rarr.traces.trace_file import StoredSpan


def critical_path(inner: Mapping[int, Sequence[StoredSpan]]) -> list[StoredSpan]:
    """Returns the spans that determined how long the run took, in order of time, each before its inner spans.

    `inner`: the spans within each span, by its number. An unfinished span counts as the last to end.
    """
    path = _in_steps(inner.get(0, ()), inner)
    for block in _chain(span for span in inner.get(0, ()) if span.kind == "block"):
        path += [block, *_in_steps(inner.get(block.number, ()), inner)]
    return path


def _in_steps(calls: Iterable[StoredSpan], inner: Mapping[int, Sequence[StoredSpan]]) -> list[StoredSpan]:
    nodes = [call for call in calls if call.kind == "node"]
    return [span for step in supersteps(nodes) for span in _with_chain(max(step, key=_last), inner)]


def supersteps(spans: Iterable[StoredSpan]) -> list[list[StoredSpan]]:
    """Groups the calls of a node that ran at once (its branches), in order of time.

    Calls of one node that follow each other are one group. The failures of branches are groups of their own,
    beside the calls.
    """
    kinds: dict[str, list[StoredSpan]] = defaultdict(list)
    for span in sorted(spans, key=lambda span: span.started):
        kinds[span.kind].append(span)
    steps = [list(step) for alike in kinds.values() for _, step in groupby(alike, key=lambda span: span.name)]
    return sorted(steps, key=lambda step: step[0].started)


def ended(span: StoredSpan) -> float:
    """Returns when the span ended, in seconds since 1970; infinity if the run was cut short before."""
    return inf if span.seconds is None else span.started + span.seconds


def _with_chain(span: StoredSpan, inner: Mapping[int, Sequence[StoredSpan]]) -> Iterator[StoredSpan]:
    yield span
    for part in _chain(inner.get(span.number, ())):
        yield from _with_chain(part, inner)


def _chain(spans: Iterable[StoredSpan]) -> list[StoredSpan]:
    chain: list[StoredSpan] = []
    for span in sorted(spans, key=_last, reverse=True):
        if not chain or ended(span) <= chain[-1].started:
            chain.append(span)
    return chain[::-1]


def _last(span: StoredSpan) -> tuple[float, float]:
    """Returns a key that sorts spans by end. Of unfinished spans, the span that began first ends last."""
    return ended(span), -span.started
