"""Writes a run as one page of HTML, which loads nothing and can be read without its script."""

from typing import get_args

from rarr.records import Verdict
from rarr.tools.pages.html_rendering import render
from rarr.traces.trace_reader import Trace
from rarr.views.html import run_view
from rarr.views.marked_text import quoted

__all__ = ["page"]


def page(trace: Trace) -> str:
    """Renders the HTML page that shows a run's trace. Write it as UTF-8.

    An unfinished run is shown as far as it came.
    """
    return render(
        "views/html/trace_page/page.html",
        view=run_view.view_of(trace),
        verdicts=get_args(Verdict),
        wording=run_view,
        quoted=quoted,
    )
