"""Renders HTML that loads nothing, to be written as UTF-8: pages of runs and of items, cells of notebooks."""

from collections import Counter
from collections.abc import Sequence
from itertools import chain

from rarr.evals.rating import FORMAT, QUESTIONS, RatingItem, digest_of
from rarr.records import Revision
from rarr.tools.pages.html_rendering import render
from rarr.tools.text.wording import grouped
from rarr.traces.trace_reader import Trace
from rarr.views import run_view
from rarr.views.marked_text import marked, quoted, with_status


def trace_page(trace: Trace) -> str:
    """Renders the page of a run, readable without its script; an unfinished run as far as it came."""
    return render(
        "views/html/trace_page/page.html",
        view=run_view.RunView(trace),
        wording=run_view,
        quoted=quoted,
        grouped=grouped,
    )


def label_page(items: Sequence[RatingItem]) -> str:
    """Renders the page on which people rate these items."""
    return render(
        "views/html/label_page/page.html",
        items=[item.model_dump(mode="json", exclude_defaults=True) for item in items],
        digest_of_items=digest_of(items),
        format=FORMAT,
        questions={question.name: question for question in QUESTIONS},
    )


def revision_html(revision: Revision) -> str:
    """Renders a revision for notebooks: sentences to look at, suggested edits, and the marked text.

    Then the number of sentences with each status, the sources and the warnings.
    """
    sentences = revision.report.sentences
    passages = {evidence.id: evidence for evidence in revision.evidence}
    suggested = [edit for edit in revision.edits if edit.state == "suggested"]
    used = {*revision.report.evidence_ids, *(edit.evidence_id for edit in revision.edits if edit.accepted)}
    used.update(chain.from_iterable(sentence.evidence_ids for sentence in sentences))
    return render(
        "views/notebook.html",
        marked=marked(revision.original, revision.edits, sentences),
        urgent=with_status(sentences, "contradicted", "unconfirmed"),
        suggested=[(edit, passages.get(edit.evidence_id)) for edit in suggested],
        counts=Counter(sentence.status for sentence in sentences),
        sources={each.source: each.title for each in revision.evidence if each.id in used},
        warnings=grouped(revision.warnings),
    )
