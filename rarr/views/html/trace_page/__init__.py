"""The parts of the page of a run, which `rarr.views.html.trace` puts together."""
