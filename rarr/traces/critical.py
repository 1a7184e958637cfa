"""Which spans made a run as long as it was.

Supersteps come one after another, so that of each the branch that ended last counts. Within a span, what
ended last counts, and before it what ended last before it began, for which it may have waited. So it is with
the blocks of a long text.
"""

from collections import defaultdict
from collections.abc import Iterable, Iterator, Mapping, Sequence
from itertools import groupby
from math import inf

from rarr.traces.file import StoredSpan


def critical_path(inner: Mapping[int, Sequence[StoredSpan]]) -> list[StoredSpan]:
    """In the order of time, each span before those within it. One that has not ended outlasts all others.

    `inner`: the spans within each span, as `Trace.inner` has them.
    """
    path = _in_steps(inner.get(0, ()), inner)
    for block in _chain(one for one in inner.get(0, ()) if one.kind == "block"):
        path += [block, *_in_steps(inner.get(block.number, ()), inner)]
    return path


def _in_steps(calls: Iterable[StoredSpan], inner: Mapping[int, Sequence[StoredSpan]]) -> list[StoredSpan]:
    nodes = [one for one in calls if one.kind == "node"]
    return [one for step in supersteps(nodes) for one in _with_chain(max(step, key=_last), inner)]


def supersteps(spans: Iterable[StoredSpan]) -> list[list[StoredSpan]]:
    """What ran at once, in the order of time: branches of one node, which never follows itself.

    What the failures of branches left stands beside the calls, as steps of its own.
    """
    kinds: dict[str, list[StoredSpan]] = defaultdict(list)
    for one in sorted(spans, key=lambda one: one.started):
        kinds[one.kind].append(one)
    steps = [list(step) for alike in kinds.values() for _, step in groupby(alike, key=lambda one: one.name)]
    return sorted(steps, key=lambda step: step[0].started)


def ended(span: StoredSpan) -> float:
    """When it ended, in seconds since 1970: never, where it was cut short."""
    return inf if span.seconds is None else span.started + span.seconds


def _with_chain(span: StoredSpan, inner: Mapping[int, Sequence[StoredSpan]]) -> Iterator[StoredSpan]:
    yield span
    for one in _chain(inner.get(span.number, ())):
        yield from _with_chain(one, inner)


def _chain(spans: Iterable[StoredSpan]) -> list[StoredSpan]:
    chain: list[StoredSpan] = []
    for one in sorted(spans, key=_last, reverse=True):
        if not chain or ended(one) <= chain[-1].started:
            chain.append(one)
    return chain[::-1]


def _last(span: StoredSpan) -> tuple[float, float]:
    """Of several that are cut short, the one that had been waited for longest."""
    return ended(span), -span.started
