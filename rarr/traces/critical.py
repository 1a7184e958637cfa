"""Which spans made a run as long as it was.

Supersteps come one after another, so that of each the branch that ended last counts. Within a span, what
ended last counts, and before it what ended last before it began, for which it may have waited.
"""

from collections.abc import Iterable, Iterator, Sequence
from itertools import groupby
from math import inf

from rarr.traces.file import StoredSpan


def critical_path(spans: Sequence[StoredSpan]) -> list[StoredSpan]:
    """In the order of time, each span before those within it. One that has not ended outlasts all others."""
    return [one for step in supersteps(spans) for one in _with_chain(max(step, key=_last), spans)]


def supersteps(spans: Iterable[StoredSpan]) -> list[list[StoredSpan]]:
    """The calls of nodes that ran at once: branches of one node, which never follows itself."""
    nodes = sorted((one for one in spans if one.kind == "node"), key=lambda one: one.started)
    return [list(step) for _, step in groupby(nodes, key=lambda one: one.name)]


def ended(span: StoredSpan) -> float:
    """When it ended, in seconds since 1970: never, where it was cut short."""
    return inf if span.seconds is None else span.started + span.seconds


def _with_chain(span: StoredSpan, spans: Sequence[StoredSpan]) -> Iterator[StoredSpan]:
    yield span
    inner = [one for one in spans if one.parent == span.number]
    chain: list[StoredSpan] = []
    while inner:
        chain.append(max(inner, key=_last))
        inner = [one for one in inner if ended(one) <= chain[-1].started]
    for one in reversed(chain):
        yield from _with_chain(one, spans)


def _last(span: StoredSpan) -> tuple[float, float]:
    """Of several that are cut short, the one that had been waited for longest."""
    return ended(span), -span.started
