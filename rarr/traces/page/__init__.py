"""The parts of the page of a run, which `rarr.traces.html` puts together."""
