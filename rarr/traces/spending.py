"""What a run had spent when it ended, by its trace."""

from rarr.tools.meter import Tally
from rarr.traces.trace import Trace


def spent(trace: Trace) -> dict[str, Tally]:
    """By node. A request that had no answer yet counts as one that used no tokens: nobody knows."""
    found: dict[str, Tally] = {}
    for node in trace.spans:
        if node.kind != "node":
            continue
        tally = found.setdefault(node.name, Tally())
        tally.calls += 1
        tally.seconds += node.seconds or 0.0
        for request in trace.within(node, "request"):
            if "samples" in request.body or request.seconds is None:
                input_, output, cached = request.body.get("tokens", (0, 0, 0))
                cost = request.body.get("cost", 0.0)
                tally += Tally(0, 0.0, 1, input_, output, cached, cost)
        found[node.name] = tally
    return found
