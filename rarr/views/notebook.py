"""A revision as HTML for notebooks."""

from collections import Counter

from rarr.records import Revision
from rarr.tools.pages.rendering import render
from rarr.tools.text.diff import by_sentence, merged, traced
from rarr.tools.text.notices import grouped


def revision_html(revision: Revision) -> str:
    """The text with its edits in place and its sentences marked by status, then sources and warnings."""
    sentences = revision.report.sentences
    runs = by_sentence(traced(revision.original, revision.edits), sentences)
    return render(
        "views/notebook.html",
        sentences=[(sentence, list(merged(run))) for sentence, run in runs],
        counts=Counter(sentence.status for sentence in sentences),
        sources=_sources(revision),
        warnings=grouped(revision.warnings),
    )


def _sources(revision: Revision) -> dict[str, str]:
    """The titles of the sources of the report and of the accepted edits."""
    used = {*revision.report.evidence_ids, *(edit.evidence_id for edit in revision.edits if edit.accepted)}
    used.update(one for sentence in revision.report.sentences for one in sentence.evidence_ids)
    return {one.source: one.title for one in revision.evidence if one.id in used}
