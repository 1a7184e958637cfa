"""What a run had spent when it ended, by its trace."""

from rarr.tools.models.meter import Tally
from rarr.traces.trace import Trace


def spent(trace: Trace) -> dict[str, Tally]:
    """By node. A request that had not ended is not counted: nobody knows what it cost."""
    found: dict[str, Tally] = {}
    for node in trace.spans:
        if node.kind != "node":
            continue
        tally = found.setdefault(node.name, Tally())
        tally.calls += 1
        tally.seconds += node.seconds or 0.0
        for ask in trace.within(node, "ask"):
            for request in trace.within(ask, "request"):
                if "samples" not in request.body:  # it was not sent, or has not ended
                    continue
                input_, output, cached = request.body["tokens"]
                tally += Tally(0, 0.0, 1, input_, output, cached, request.body["cost"])
        found[node.name] = tally
    return found
