"""Renders a revision as HTML for notebooks."""

from collections import Counter

from rarr.records import Revision
from rarr.tools.pages.html_rendering import render
from rarr.tools.text.wording import grouped
from rarr.views.marked_text import marked, with_status


def revision_html(revision: Revision) -> str:
    """Renders a revision as HTML: sentences to look at, suggested edits, the text with its edits marked.

    Then the number of sentences with each status, the sources and the warnings.
    """
    sentences = revision.report.sentences
    passages = {evidence.id: evidence for evidence in revision.evidence}
    suggested = [edit for edit in revision.edits if edit.state == "suggested"]
    return render(
        "views/notebook.html",
        marked=marked(revision.original, revision.edits, sentences),
        urgent=with_status(sentences, "contradicted", "unconfirmed"),
        suggested=[(edit, passages.get(edit.evidence_id)) for edit in suggested],
        counts=Counter(sentence.status for sentence in sentences),
        sources=_sources(revision),
        warnings=grouped(revision.warnings),
    )


def _sources(revision: Revision) -> dict[str, str]:
    """Maps the sources of the report and of the accepted edits to their titles."""
    used = {*revision.report.evidence_ids, *(edit.evidence_id for edit in revision.edits if edit.accepted)}
    used.update(name for sentence in revision.report.sentences for name in sentence.evidence_ids)
    return {evidence.source: evidence.title for evidence in revision.evidence if evidence.id in used}
