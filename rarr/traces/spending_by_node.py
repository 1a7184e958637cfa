"""Adds up the calls, tokens, cost and seconds of each node of a recorded run."""

from rarr.tools.models.run_budget import Tally
from rarr.traces.trace_reader import Trace


def spending_by_node(trace: Trace) -> dict[str, Tally]:
    """Sums calls, tokens, cost, saved answers and seconds by node.

    An unfinished request, of unknown cost, is left out.
    """
    tallies: dict[str, Tally] = {}
    for node in trace.spans:
        if node.kind != "node":
            continue
        tally = tallies.setdefault(node.name, Tally())
        tally.calls += 1
        tally.seconds += node.seconds or 0.0
        for ask in trace.within(node, "ask"):
            tally.saved_calls += ask.body.get("saved") is not None
            for request in trace.within(ask, "request"):
                if "samples" not in request.body:  # the request was not sent, or has not ended
                    continue
                input_, output, cached = request.body["tokens"]
                tally += Tally(0, 0.0, 1, input_, output, cached, request.body["cost"])
        tallies[node.name] = tally
    return tallies
