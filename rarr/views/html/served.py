"""Writes the page of `rarr serve`, and the pieces that its script puts into it."""

from collections.abc import Collection, Sequence
from datetime import UTC, datetime
from typing import Any

from rarr.agent.citing.revision_citations import cited_revision
from rarr.agent.postprocessing.summary import summary
from rarr.records import Revision
from rarr.tools.pages.html_rendering import render
from rarr.traces.trace_reader import Trace
from rarr.views.html.result_lookup import Results, fields_of
from rarr.views.html.trace_page import call_formatting, run_overview
from rarr.views.html.trace_page.page_data import view_of
from rarr.views.marked_markdown import quoted

__all__ = ["page", "result", "run", "run_list"]

STEPS = ("generate_queries", "retrieve", "rerank", "check_agreement", "edit", "attribute", "evaluate")
"""The nodes of a run whose progress the page shows from the beginning; it adds others when they come."""
_FOLDER = "views/html/served_page"
_HELPERS = {"call_formatting": call_formatting, "run_overview": run_overview, "quoted": quoted}


def page() -> str:
    """Renders the page, which is the same for everybody."""
    return render(f"{_FOLDER}/page.html", steps=STEPS)


def result(
    revision: Revision, context: str | None, *, decided: Collection[str] = (), keeps_runs: bool = True
) -> dict[str, Any]:
    """Draws a revision. `decided` are the ids of the edits that its reader has accepted or refused.

    Returns the HTML, a line that sums it up, whether it `failed` to be checked, and the revised text.
    """
    cited = cited_revision(revision, context)
    numbers = {sentence.start: n for n, sentence in enumerate(revision.report.sentences, start=1)}
    view = Results(
        **fields_of(revision),
        decidable=True,
        decided=decided,
        citations={numbers[each.sentence_start]: each.number for each in cited.citations},
        cited_text=cited.text if cited.citations else "",
    )
    failure = _failure(revision)
    notice = failure or summary(revision).notice
    html = render(
        f"{_FOLDER}/result.html",
        view=view,
        cited=cited,
        notice=notice,
        failed=bool(failure),
        run_id=revision.run_id if keeps_runs and not failure else "",
        **_HELPERS,
    )
    return {"html": html, "notice": notice, "failed": bool(failure), "text": revision.text}


def _failure(revision: Revision) -> str:
    """Returns why the text came back as it was: the deadline, or a failure of the server; "" if neither."""
    if revision.report.sentences:
        return ""
    reasons = [notice.message for notice in revision.warnings if notice.code in ("deadline", "failed")]
    return reasons[0] if reasons else ""


def run(trace: Trace) -> str:
    """Draws the text of a run, its edits and figures, to stand beside another run."""
    view = view_of(trace)
    return render(f"{_FOLDER}/run.html", view=view, **_HELPERS)


def run_list(runs: Sequence[dict[str, Any]], limit: int) -> str:
    """Draws a list of runs, which are values of `GET /v1/runs`; `limit` is how many were asked for."""
    started = {one["run_id"]: datetime.fromtimestamp(one["started"], UTC) for one in runs}
    return render(f"{_FOLDER}/run_list.html", runs=runs, started=started, limit=limit)
