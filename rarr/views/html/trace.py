"""Writes a run as one page of HTML, which loads nothing and can be read without its script."""

from typing import get_args

from rarr.records import Verdict
from rarr.tools.pages.html_rendering import render
from rarr.traces.trace_reader import Trace
from rarr.views.html import run_figures
from rarr.views.html.run_results import view_of
from rarr.views.marked_markdown import quoted

__all__ = ["page"]


def page(trace: Trace) -> str:
    """Renders the HTML page that shows a run's trace. Write it as UTF-8.

    An unfinished run is shown as far as it came.
    """
    verdicts = get_args(Verdict)
    return render(
        "views/html/trace_page/page.html",
        view=view_of(trace),
        verdicts=verdicts,
        figures=run_figures,
        quoted=quoted,
    )
